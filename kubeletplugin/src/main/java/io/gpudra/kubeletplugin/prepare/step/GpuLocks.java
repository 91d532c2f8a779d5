package io.gpudra.kubeletplugin.prepare.step;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock for each GPU. A thread with one lock acquires no other, and may read the holdings of
 * claims; the code that decides on holdings waits for none of these locks.
 */
public final class GpuLocks {

  /** Longer than any step, shorter than the kubelet waits. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

  /** Runs the step while no other call changes the GPU. */
  void under(String gpuUuid, GpuStep step) throws IOException {
    ReentrantLock lock = locks.computeIfAbsent(gpuUuid, uuid -> new ReentrantLock());
    if (!tryLock(lock)) {
      throw new IOException("another call is working on GPU " + gpuUuid);
    }
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  private static boolean tryLock(ReentrantLock lock) throws IOException {
    try {
      return lock.tryLock(MAX_WAIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the plugin is stopping", e);
    }
  }

  /** A change to a GPU. */
  interface GpuStep {
    void run() throws IOException;
  }
}
