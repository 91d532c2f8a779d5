package io.gpudra.controller.memory;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Remembers values by question, within a budget of bytes. When an asker is gone or asks another
 * question, its former value is dropped unless other askers share it. Usable from any thread.
 *
 * @param <A> the asker
 * @param <Q> the question
 * @param <V> the remembered value
 */
public final class BoundedCache<A, Q, V> {
  /** In addition, the askers have the budget divided by this number. */
  private static final int ASKERS = 8;

  private final Function<Q, V> first;
  private final HashBoundCache<Q, Entry<Q, V>> entries;

  /** With weak values, so that evicted entries are released. */
  private final Cache<A, Entry<Q, V>> latest;

  private static final class Entry<Q, V> {
    private final Q question;
    private final V value;
    private final AtomicInteger askers = new AtomicInteger();

    Entry(Q question, V value) {
      this.question = question;
      this.value = value;
    }
  }

  /**
   * An empty cache.
   *
   * @param first the initial value of a new question
   * @param bytes the current size of a value and its question
   */
  public BoundedCache(MemoryBudget budget, Function<Q, V> first, ToLongFunction<V> bytes) {
    this.first = first;
    this.entries =
        new HashBoundCache<>(
            budget.cache(
                MemoryBudget.ALL,
                (question, entry) -> clamped(MemoryBudget.ENTRY + bytes.applyAsLong(entry.value))));
    this.latest =
        CacheBuilder.newBuilder()
            .maximumSize(budget.bytes() / ASKERS / MemoryBudget.ENTRY)
            .weakValues()
            .removalListener(this::releaseEntry)
            .build();
  }

  private static int clamped(long bytes) {
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  /** The value of the question, which replaces the asker's former question. */
  public V get(A who, Q question) {
    Entry<Q, V> now = entry(question);
    if (latest.getIfPresent(who) != now) {
      now.askers.incrementAndGet();
      latest.put(who, now);
    }
    return now.value;
  }

  private Entry<Q, V> entry(Q question) {
    return entries.get(question, () -> new Entry<>(question, first.apply(question)));
  }

  /** The value has grown and is weighed again. */
  public void grew(Q question) {
    Entry<Q, V> entry = entries.getIfPresent(question);
    if (entry != null) {
      entries.weighAgain(question, entry);
    }
  }

  /** The asker is gone. */
  public void removeAsker(A who) {
    latest.invalidate(who);
  }

  private void releaseEntry(RemovalNotification<A, @Nullable Entry<Q, V>> asker) {
    Entry<Q, V> entry = asker.getValue();
    if (entry != null && entry.askers.decrementAndGet() == 0) {
      entries.remove(entry.question, entry);
    }
  }
}
