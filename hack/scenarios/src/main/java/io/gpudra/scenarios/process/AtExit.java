package io.gpudra.scenarios.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes what was added, last first and once, when it is closed itself or when the JVM is told to
 * end, whatever comes first. So nothing is left after Ctrl-C either.
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
   * Takes over closing it, which is at once when everything else is closed already.
   *
   * @throws IllegalStateException then
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

  /** One that cannot be closed does not keep the others from it. */
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
