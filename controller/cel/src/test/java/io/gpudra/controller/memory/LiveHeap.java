package io.gpudra.controller.memory;

import java.lang.management.ManagementFactory;
import java.util.stream.LongStream;

/** What of this process's heap is in use. */
public final class LiveHeap {
  private LiveHeap() {}

  /**
   * Bytes: the least after each of ten collections, since others let go of their last piece late.
   */
  public static long bytes() {
    return LongStream.generate(LiveHeap::collected).limit(10).min().orElseThrow();
  }

  private static long collected() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
