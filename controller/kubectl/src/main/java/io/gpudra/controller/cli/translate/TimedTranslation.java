package io.gpudra.controller.cli.translate;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.TranslationResult;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A translation that fails when one object takes too long. Its thread ends with the process. */
final class TimedTranslation {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ManifestTranslator translator;
  private final Duration limit;
  private final AtomicInteger begun = new AtomicInteger();
  private volatile String current = "";

  TimedTranslation(ManifestTranslator translator) {
    this(translator, LIMIT);
  }

  /**
   * A translation with a limit.
   *
   * @param limit for an object, which may also take nearly twice the time
   */
  TimedTranslation(ManifestTranslator translator, Duration limit) {
    this.translator = translator;
    this.limit = limit;
  }

  /**
   * Translates the texts.
   *
   * @throws IOException when an object takes too long; the message names it and its file
   */
  TranslationResult translate(ImmutableList<ManifestText> texts) throws IOException {
    FutureTask<TranslationResult> task =
        new FutureTask<>(() -> translator.translate(texts, this::begin));
    Thread thread = new Thread(task, "translation");
    thread.setDaemon(true);
    thread.start();
    int before;
    do {
      before = begun.get();
      try {
        return requireNonNull(Uninterruptibles.getUninterruptibly(task, limit), "a translation");
      } catch (ExecutionException e) {
        throw new IOException("%s: %s".formatted(current, e.getCause()), e);
      } catch (TimeoutException e) {
        // The next object may have begun.
      }
    } while (begun.get() > before);
    throw new IOException("%s: takes longer than %d ms".formatted(current, limit.toMillis()));
  }

  private void begin(String object) {
    current = object;
    begun.incrementAndGet();
  }
}
