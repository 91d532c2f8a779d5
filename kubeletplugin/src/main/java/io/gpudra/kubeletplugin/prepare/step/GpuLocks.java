package io.gpudra.kubeletplugin.prepare.step;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock for each GPU. A thread that has one takes no other, and may ask what claims hold; the
 * code that decides what claims hold waits for none.
 */
public final class GpuLocks {

  /** Longer than any step takes, shorter than the kubelet waits. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

  /** Runs the step while no other call changes the GPU. */
  void under(String gpuUuid, GpuStep step) throws IOException {
    ReentrantLock lock = locks.computeIfAbsent(gpuUuid, uuid -> new ReentrantLock());
    if (!taken(lock)) {
      throw new IOException("another call is working on GPU " + gpuUuid);
    }
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  private static boolean taken(ReentrantLock lock) throws IOException {
    try {
      return lock.tryLock(LONGEST.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the plugin is stopping", e);
    }
  }

  /** Something done to a GPU. */
  interface GpuStep {
    void run() throws IOException;
  }
}
