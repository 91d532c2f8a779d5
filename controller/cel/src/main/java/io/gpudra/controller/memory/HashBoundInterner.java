package io.gpudra.controller.memory;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.collect.Interner;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes equal values one object, as long as it is held elsewhere. Of one hash, only the values that
 * were used last are known: a tenant can choose thousands of values with one hash, each of which
 * would be compared with all others. Usable from any thread.
 */
public final class HashBoundInterner<T> implements Interner<T> {
  /** More than share a hash by chance. */
  static final int ALIKE = 16;

  private final Map<Integer, Deque<Known<T>>> byHash = new HashMap<>();
  private final ReferenceQueue<T> unused = new ReferenceQueue<>();

  private static final class Known<T> extends WeakReference<T> {
    private final int hash;

    Known(T value, int hash, ReferenceQueue<T> unused) {
      super(value, unused);
      this.hash = hash;
    }
  }

  @Override
  public T intern(T sample) {
    return intern(sample, sample.hashCode());
  }

  private synchronized T intern(T sample, int hash) {
    removeUnused();
    Deque<Known<T>> alike =
        byHash.computeIfAbsent(hash, any -> new ArrayDeque<>(/* numElements= */ 1));
    for (Known<T> known : alike) {
      T value = known.get();
      if (value != null && sample.equals(value)) {
        alike.remove(known);
        alike.addLast(known);
        return value;
      }
    }
    if (alike.size() == ALIKE) {
      alike.removeFirst();
    }
    alike.addLast(new Known<>(sample, hash, unused));
    return sample;
  }

  private void removeUnused() {
    for (Reference<? extends T> gone = unused.poll(); gone != null; gone = unused.poll()) {
      remove((Known<?>) gone);
    }
  }

  private void remove(Known<?> gone) {
    Deque<Known<T>> alike = byHash.get(gone.hash);
    if (alike != null && alike.remove(gone) && alike.isEmpty()) {
      byHash.remove(gone.hash);
    }
  }

  @VisibleForTesting
  synchronized int hashes() {
    removeUnused();
    return byHash.size();
  }
}
