package io.gpudra.controller.check.command;

import com.google.common.base.Stopwatch;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Prints what a slow command is doing, a line from time to time. Prints nothing for fast answers,
 * and never to the standard output, which a program may read.
 */
public final class ProgressReporter implements AutoCloseable {
  private static final Duration SHORT_DELAY = Duration.ofSeconds(2);
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final PrintWriter err;
  private final Stopwatch since = Stopwatch.createStarted();
  private final ScheduledExecutorService printer =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("progress").setDaemon(true).build());
  private volatile String doing;

  /** Starts the timer. */
  public ProgressReporter(PrintWriter err, String doing) {
    this(err, doing, SHORT_DELAY, AGAIN);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // runs until it is closed
  public ProgressReporter(PrintWriter err, String doing, Duration first, Duration again) {
    this.err = err;
    this.doing = doing;
    printer.scheduleAtFixedRate(
        this::print, first.toNanos(), again.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void print() {
    err.println("still %s, for %d s now".formatted(doing, since.elapsed().toSeconds()));
    err.flush();
  }

  /** Sets the current activity, as in {@code still …}. */
  public void now(String doing) {
    this.doing = doing;
  }

  /** The answer is complete. */
  @Override
  public void close() {
    printer.shutdownNow();
  }
}
