package io.gpudra.simulator.actor;

import java.time.Duration;
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
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
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
