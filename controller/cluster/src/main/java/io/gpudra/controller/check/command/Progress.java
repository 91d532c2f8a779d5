package io.gpudra.controller.check.command;

import com.google.common.base.Stopwatch;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Tells whoever waits for an answer what is being done: nothing of an answer that comes soon, a
 * line now and then of one that does not. Never where the answer goes, which a program may read.
 */
public final class Progress implements AutoCloseable {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final PrintWriter err;
  private final Stopwatch since = Stopwatch.createStarted();
  private final ScheduledExecutorService teller =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("progress").setDaemon(true).build());
  private volatile String doing;

  /** Somebody waits from now on. */
  public Progress(PrintWriter err, String doing) {
    this(err, doing, SOON, AGAIN);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // until it is closed
  public Progress(PrintWriter err, String doing, Duration first, Duration again) {
    this.err = err;
    this.doing = doing;
    teller.scheduleAtFixedRate(this::tell, first.toNanos(), again.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void tell() {
    err.println("still %s, for %d s now".formatted(doing, since.elapsed().toSeconds()));
    err.flush();
  }

  /** What is done from now on, as in {@code still …}. */
  public void now(String doing) {
    this.doing = doing;
  }

  /** The answer is there. */
  @Override
  public void close() {
    teller.shutdownNow();
  }
}
