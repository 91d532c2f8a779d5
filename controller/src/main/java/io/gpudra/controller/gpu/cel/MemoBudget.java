package io.gpudra.controller.gpu.cel;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.Weigher;

/**
 * What is remembered of conditions has one budget of memory, {@code 48 MiB}, in bytes as they are
 * estimated. Anything that a tenant can make many of is in one of these caches; what falls out is
 * worked out again. Whoever does nothing but look on has {@link #ASIDE} of it beside that.
 */
public enum MemoBudget {
  /** Expressions by their text: compiled, or what is wrong with them. */
  EXPRESSIONS(16),

  /** Whether devices with certain attributes satisfy an expression. */
  RESULTS(8),

  /** What conditions answered for each node. */
  ANSWERS(23),

  /** Conditions by what class and claim say. */
  CONDITIONS(1);

  private static final long MEBI = 1 << 20;

  /** Of an entry, beside what it holds. */
  public static final int ENTRY = 200;

  /** All of it, for those who grant. */
  public static final int ALL = 1;

  /** An eighth of it, for those who look on: they push out nothing that a pod waits for. */
  public static final int ASIDE = 8;

  private final long bytes;

  MemoBudget(long mebibytes) {
    this.bytes = mebibytes * MEBI;
  }

  /** Of all that is remembered of this kind. */
  public long bytes() {
    return bytes;
  }

  /**
   * An empty cache; the budget holds for one of each.
   *
   * @param share {@link #ALL} or {@link #ASIDE}
   */
  public <K, V> CacheBuilder<K, V> cache(int share, Weigher<K, V> weigher) {
    return CacheBuilder.newBuilder().maximumWeight(bytes / share).weigher(weigher);
  }
}
