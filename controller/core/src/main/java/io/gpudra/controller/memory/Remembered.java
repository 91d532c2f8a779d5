package io.gpudra.controller.memory;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What was worked out for those who ask, by what they ask, within a budget of bytes. Who asks for
 * something else, or is gone, takes along what nobody else asks for. Usable from any thread.
 *
 * @param <A> who asks
 * @param <Q> what is asked
 * @param <V> what is remembered of it
 */
public final class Remembered<A, Q, V> {
  /** The part of the budget that who asked what has beside it. */
  private static final int ASKERS = 8;

  private final Function<Q, V> first;
  private final Cache<Q, Entry<Q, V>> entries;

  /** Weakly, so that what fell out of the budget is gone. */
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
   * Remembers nothing yet.
   *
   * @param first what there is to begin with when a question is new
   * @param bytes that a value takes, its question included, as far as it has grown
   */
  public Remembered(MemoryBudget budget, Function<Q, V> first, ToLongFunction<V> bytes) {
    this.first = first;
    this.entries =
        budget
            .<Q, Entry<Q, V>>cache(
                MemoryBudget.ALL,
                (question, entry) -> clamped(MemoryBudget.ENTRY + bytes.applyAsLong(entry.value)))
            .build();
    this.latest =
        CacheBuilder.newBuilder()
            .maximumSize(budget.bytes() / ASKERS / MemoryBudget.ENTRY)
            .weakValues()
            .removalListener(this::left)
            .build();
  }

  private static int clamped(long bytes) {
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  /** What is remembered of the question, which is from now on the only one that is asked by who. */
  public V asked(A who, Q question) {
    Entry<Q, V> now = entry(question);
    if (latest.getIfPresent(who) != now) {
      now.askers.incrementAndGet();
      latest.put(who, now);
    }
    return now.value;
  }

  private Entry<Q, V> entry(Q question) {
    try {
      return entries.get(question, () -> new Entry<>(question, first.apply(question)));
    } catch (ExecutionException e) {
      throw new IllegalStateException("what there is to begin with throws nothing checked", e);
    }
  }

  /** More is known now, which is weighed. */
  public void grew(Q question) {
    Entry<Q, V> entry = entries.getIfPresent(question);
    if (entry != null) {
      entries.asMap().replace(question, entry, entry);
    }
  }

  /** Who is gone asks nothing. */
  public void gone(A who) {
    latest.invalidate(who);
  }

  private void left(RemovalNotification<A, @Nullable Entry<Q, V>> asker) {
    Entry<Q, V> entry = asker.getValue();
    if (entry != null && entry.askers.decrementAndGet() == 0) {
      entries.asMap().remove(entry.question, entry);
    }
  }
}
