package io.gpudra.scenarios.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes all added resources once, the last one first, when it is closed itself or when the JVM
 * shuts down. So nothing is left after Ctrl-C either.
 */
public final class AtExit implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AtExit.class);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Thread hook = new Thread(this::closeAll, "at-exit");

  /** Guarded by this. */
  private boolean ended;

  private AtExit() {}

  /** Nothing to close yet. */
  public static AtExit create() {
    AtExit atExit = new AtExit();
    Runtime.getRuntime().addShutdownHook(atExit.hook);
    return atExit;
  }

  /**
   * Adds a resource. Closes it at once if all others are closed already.
   *
   * @throws IllegalStateException in that case
   */
  public synchronized <T extends AutoCloseable> T add(T resource) {
    open.push(resource);
    if (ended) {
      closeAll();
      throw new IllegalStateException("stopped while starting");
    }
    return resource;
  }

  @Override
  public void close() {
    closeAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("the JVM is ending already", e);
    }
  }

  /** Continues if a resource cannot be closed. */
  private synchronized void closeAll() {
    ended = true;
    while (!open.isEmpty()) {
      AutoCloseable next = open.pop();
      try {
        next.close();
      } catch (Exception e) {
        LOG.warn("cannot close {}", next, e);
      }
    }
  }
}
