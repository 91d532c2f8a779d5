package io.gpudra.kubeletplugin.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What can go wrong below the preparer: an operation fails, blocks, or the process dies before or
 * after any effect on the node.
 */
public final class Faults {

  /** The process is gone; nothing it would have done afterwards happens. */
  public static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Runs in place of, and before, an operation. */
  public interface Hook {
    void run() throws IOException;
  }

  private final Map<String, Hook> hooks = new ConcurrentHashMap<>();
  private int pointsLeft = Integer.MAX_VALUE;
  private boolean dead;

  /** Dies at the k-th point from now, counted from 0; each effect has a point before and after. */
  public void dieAt(int point) {
    pointsLeft = point;
  }

  public boolean dead() {
    return dead;
  }

  /** Operations: setUp, tearDown, write, remove, save; looks: gpus. */
  public void on(String operation, Hook hook) {
    hooks.put(operation, hook);
  }

  public void fail(String operation) {
    on(
        operation,
        () -> {
          throw new IOException(operation + " fails");
        });
  }

  /** Fails in a way that no signature tells. */
  public void failUnchecked(String operation) {
    on(
        operation,
        () -> {
          throw new IllegalStateException(operation + " has a defect");
        });
  }

  public void clear() {
    hooks.clear();
  }

  /** Does something, with a point before and one after. */
  public void around(String operation, Hook effect) throws IOException {
    point();
    Hook hook = hooks.get(operation);
    if (hook != null) {
      hook.run();
    }
    effect.run();
    point();
  }

  /** Before something is looked at, which changes nothing and is no point to die at. */
  void before(String look) {
    try {
      hooks.getOrDefault(look, () -> {}).run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One to die at. */
  public synchronized void point() {
    dead = dead || pointsLeft-- <= 0;
    if (dead) {
      throw new Death();
    }
  }
}
