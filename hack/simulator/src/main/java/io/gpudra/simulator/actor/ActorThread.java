package io.gpudra.simulator.actor;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps one actor on a thread of its own until closed; closing closes the actor. */
public final class ActorThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ActorThread.class);
  private static final Duration LONGEST_WAIT = Duration.ofMillis(200);

  private final Actor actor;
  private final Thread thread;
  private volatile boolean closed;

  private ActorThread(String name, Actor actor) {
    this.actor = actor;
    this.thread = daemons(name).newThread(this::run);
  }

  /** Makes threads that do not keep the process alive. */
  public static ThreadFactory daemons(String name) {
    return new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build();
  }

  /** Closes what cannot fail to be closed. */
  public static void closeQuietly(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot stop a part", e);
    }
  }

  public static ActorThread start(String name, Actor actor) {
    ActorThread started = new ActorThread(name, actor);
    started.thread.start();
    return started;
  }

  private void run() {
    while (!closed) {
      try {
        if (!actor.step()) {
          actor.awaitWork(LONGEST_WAIT);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("actor failed name={}", thread.getName(), e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    actor.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
