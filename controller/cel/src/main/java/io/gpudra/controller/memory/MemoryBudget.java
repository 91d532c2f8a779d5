package io.gpudra.controller.memory;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.Weigher;

/**
 * The caches of tenants' data and their limits in estimated bytes: a share of the heap, and at most
 * that share of the default heap. Evicted entries are computed again. Readers other than the
 * allocation have {@link #SECONDARY} of it in addition.
 */
public enum MemoryBudget {
  /** Expressions by their text: compiled, or their problems. */
  EXPRESSIONS(16),

  /** Whether devices with certain attributes satisfy an expression. */
  RESULTS(8),

  /** The results of conditions for each node. */
  ANSWERS(23),

  /** Conditions by the terms of class and claim. */
  CONDITIONS(1),

  /** The answers of nodes to waiting pods. */
  REFUSALS(24),

  /** The nodes that suit waiting Immediate claims. */
  VERDICTS(48),

  /** The requests of claims whose grant the server rejected. */
  REJECTIONS(8),

  /** The status of parameters. */
  STATUS(4),

  /** Warnings that were sent recently. */
  SENT_EVENTS(12),

  /** Existing events whose count may increase. */
  EVENTS(4),

  /** Warnings that wait to be sent. */
  WARNINGS(8),

  /** Pods without a node, with what they ask for. */
  GATED_PODS(19);

  private static final long MEBI = 1 << 20;

  /** In mebibytes: 70 % of a container's 512, less what the collector keeps. */
  private static final long SHIPPED_HEAP = 352;

  /** The overhead of an entry. */
  public static final int ENTRY = 200;

  /** All of it, for allocation. */
  public static final int ALL = 1;

  /** An eighth of it, for other readers, which evict no entry that a pod waits for. */
  public static final int SECONDARY = 8;

  private final long mebibytes;

  MemoryBudget(long mebibytes) {
    this.mebibytes = mebibytes;
  }

  /** The limit of this cache. */
  public long bytes() {
    return of(Runtime.getRuntime().maxMemory());
  }

  /** The limit with a heap of this size in bytes. */
  long of(long heap) {
    return mebibytes * Math.min(MEBI, heap / SHIPPED_HEAP);
  }

  /** The maximum size of a text. */
  public static int text(CharSequence text) {
    return 2 * text.length();
  }

  /**
   * An empty cache; the budget covers one of each kind. Entries are weighed when they are added.
   *
   * @param share {@link #ALL} or {@link #SECONDARY}
   */
  public <K, V> CacheBuilder<K, V> cache(int share, Weigher<K, V> weigher) {
    // One segment: each of several would reject an entry larger than its part of the budget.
    return CacheBuilder.newBuilder()
        .concurrencyLevel(1)
        .maximumWeight(bytes() / share)
        .weigher(weigher);
  }
}
