package io.gpudra.controller.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.ManifestTranslator.KindTranslator;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TargetVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Objects that take their time. */
@Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimedTranslationTest {
  private static final Options OPTIONS = new Options("d", "d", TargetVersion.V1_36, "c", "4Gi");
  private static final ImmutableList<ManifestText> TEXTS =
      ImmutableList.of(
          new ManifestText("a", "kind: Node\nmetadata: {name: n}\n"),
          new ManifestText("b", "kind: Pod\nmetadata: {name: p, namespace: n}\n"));

  private static TimedTranslation translation(KindTranslator pods, Duration limit) {
    KindTranslator nodes = (object, session) -> session.omit(object, "gone.");
    return new TimedTranslation(
        new ManifestTranslator(ImmutableMap.of("/Node", nodes, "/Pod", pods), OPTIONS), limit);
  }

  @Test
  void anObjectThatTakesTooLongEndsTheTranslationAndIsNamed() {
    CountDownLatch never = new CountDownLatch(1);
    TimedTranslation translation =
        translation(
            (object, session) -> Uninterruptibles.awaitUninterruptibly(never),
            Duration.ofMillis(20));

    assertThatThrownBy(() -> translation.translate(TEXTS))
        .isInstanceOf(IOException.class)
        .hasMessage("b: Pod n/p: takes longer than 20 ms");
    never.countDown();
  }

  @Test
  void anErrorNamesTheObject() {
    TimedTranslation translation =
        translation(
            (object, session) -> {
              throw new OutOfMemoryError("none left");
            },
            Duration.ofMinutes(1));

    assertThatThrownBy(() -> translation.translate(TEXTS))
        .isInstanceOf(IOException.class)
        .hasMessage("b: Pod n/p: java.lang.OutOfMemoryError: none left");
  }

  @Test
  void whatTakesNoTimeIsTranslated() throws IOException {
    TimedTranslation translation =
        translation((object, session) -> session.omit(object, "gone."), Duration.ofMinutes(1));

    assertThat(translation.translate(TEXTS).files()).containsEntry("a", "# Node \"n\": gone.\n");
  }
}
