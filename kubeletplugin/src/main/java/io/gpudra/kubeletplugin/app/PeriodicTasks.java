package io.gpudra.kubeletplugin.app;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats tasks as long as the process lives; a failed run does not stop the next one. */
final class PeriodicTasks implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PeriodicTasks.class);

  /** Several, so that slow API calls or a disk that hangs do not delay repairs of sockets. */
  private static final int THREADS = 3;

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          THREADS, new ThreadFactoryBuilder().setNameFormat("chores-%d").setDaemon(true).build());

  /** A task that may fail. */
  interface Task {
    void run() throws Exception;
  }

  /** Runs the task periodically with pauses of the given length, 10 % more or less. */
  void repeat(String name, Duration pause, Task task) {
    schedule(name, Duration.ZERO, pause, task);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the run reports its own failure
  private void schedule(String name, Duration delay, Duration pause, Task task) {
    threads.schedule(
        () -> {
          runOnce(name, task);
          double factor = ThreadLocalRandom.current().nextDouble(0.9, 1.1);
          again(name, Duration.ofMillis((long) (pause.toMillis() * factor)), pause, task);
        },
        delay.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private void again(String name, Duration delay, Duration pause, Task task) {
    try {
      schedule(name, delay, pause, task);
    } catch (RejectedExecutionException e) {
      log.debug("stopped chore={}", name);
    }
  }

  private static void runOnce(String name, Task task) {
    try {
      task.run();
    } catch (Exception e) {
      log.error("chore failed, will be retried chore={}", name, e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
