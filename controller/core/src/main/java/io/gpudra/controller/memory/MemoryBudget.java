package io.gpudra.controller.memory;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.Weigher;

/**
 * Where data of tenants is remembered, and how many bytes, as they are estimated, each place has: a
 * share of the heap, and no more than that of the heap that the controller is shipped with. What
 * falls out is worked out again. Whoever does nothing but look on has {@link #ASIDE} of it beside.
 */
public enum MemoryBudget {
  /** Expressions by their text: compiled, or what is wrong with them. */
  EXPRESSIONS(16),

  /** Whether devices with certain attributes satisfy an expression. */
  RESULTS(8),

  /** What conditions answered for each node. */
  ANSWERS(23),

  /** Conditions by what class and claim say. */
  CONDITIONS(1),

  /** What nodes answered to pods that wait. */
  REFUSALS(24),

  /** Which nodes would serve Immediate claims that wait. */
  VERDICTS(48),

  /** What claims asked for whose grant the server refused. */
  REJECTIONS(8),

  /** What was said of parameters. */
  STATUS(4),

  /** Warnings that were told of late. */
  TOLD(12),

  /** Events that are there and may be counted up. */
  EVENTS(4),

  /** Warnings that wait to be told. */
  WARNINGS(8);

  private static final long MEBI = 1 << 20;

  /** In mebibytes: 70 % of a container's 512, less what the collector keeps. */
  private static final long SHIPPED_HEAP = 352;

  /** Of an entry, beside what it holds. */
  public static final int ENTRY = 200;

  /** All of it, for those who grant. */
  public static final int ALL = 1;

  /** An eighth of it, for those who look on: they push out nothing that a pod waits for. */
  public static final int ASIDE = 8;

  private final long mebibytes;

  MemoryBudget(long mebibytes) {
    this.mebibytes = mebibytes;
  }

  /** Of all that is remembered of this kind. */
  public long bytes() {
    return of(Runtime.getRuntime().maxMemory());
  }

  /** Of a heap of this size in bytes. */
  long of(long heap) {
    return mebibytes * Math.min(MEBI, heap / SHIPPED_HEAP);
  }

  /** What a text takes, at most. */
  public static int text(CharSequence text) {
    return 2 * text.length();
  }

  /**
   * An empty cache; the budget holds for one of each. Weighed is what goes in, not what is found.
   *
   * @param share {@link #ALL} or {@link #ASIDE}
   */
  public <K, V> CacheBuilder<K, V> cache(int share, Weigher<K, V> weigher) {
    // In one segment: each of several would turn away what is larger than its part of the budget.
    return CacheBuilder.newBuilder()
        .concurrencyLevel(1)
        .maximumWeight(bytes() / share)
        .weigher(weigher);
  }
}
