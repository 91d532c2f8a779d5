package io.gpudra.simulator.store;

import com.google.common.collect.Iterators;
import io.gpudra.simulator.store.Store.Change;
import io.gpudra.simulator.store.Store.Page;
import io.gpudra.simulator.store.Store.PageRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The objects of one resource and its recent changes. Writes are guarded by the store's lock. */
final class Shelf {
  private final NavigableMap<Store.Key, Stored> objects = new ConcurrentSkipListMap<>();
  private final NavigableMap<Long, Change> history = new ConcurrentSkipListMap<>();
  private final int capacity;
  private int kept;
  // Changes up to here are forgotten; a reader that starts earlier would miss some.
  private long forgotten;
  // Guarded by the monitor that readers wait on.
  private long newest;

  Shelf(int capacity) {
    this.capacity = capacity;
  }

  Optional<Stored> get(Store.Key key) {
    return Optional.ofNullable(objects.get(key));
  }

  void add(Change change) {
    if (change.type().equals("DELETED")) {
      objects.remove(change.key());
    } else {
      objects.put(change.key(), change.now());
    }
    history.put(change.revision(), change);
    if (++kept > capacity) {
      forgotten = history.firstKey();
      history.remove(forgotten);
      kept--;
    }
    synchronized (this) {
      newest = change.revision();
    }
  }

  void forgetUntil(long revision) {
    forgotten = Math.max(forgotten, revision);
  }

  synchronized void signal() {
    notifyAll();
  }

  synchronized void await(long after, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    long left = millis;
    while (newest <= after && left > 0) {
      wait(left);
      left = (end - System.nanoTime()) / 1_000_000;
    }
  }

  Optional<List<Change>> changes(long after) {
    return after < forgotten
        ? Optional.empty()
        : Optional.of(List.copyOf(history.tailMap(after, false).values()));
  }

  Optional<Page> page(PageRequest request, long current) {
    long revision = request.revision().orElse(current);
    return changes(revision).map(later -> page(request, revision, undo(request, later)));
  }

  /** What the objects that were written later looked like, newest undone first. */
  private static NavigableMap<Store.Key, Optional<Stored>> undo(
      PageRequest request, List<Change> later) {
    NavigableMap<Store.Key, Optional<Stored>> past = new TreeMap<>();
    later.forEach(change -> past.putIfAbsent(change.key(), change.before()));
    return past.tailMap(request.from(), true);
  }

  private Page page(
      PageRequest request, long revision, NavigableMap<Store.Key, Optional<Stored>> past) {
    List<Stored> items = new ArrayList<>();
    Iterator<Store.Key> keys = keys(request, past);
    Optional<Store.Key> last = Optional.empty();
    Optional<Store.Key> following = Optional.empty();
    int remaining = 0;
    while (keys.hasNext()) {
      Store.Key key = keys.next();
      if (last.isPresent() && last.get().equals(key)) {
        continue;
      }
      last = Optional.of(key);
      if (!request.namespace().isEmpty() && !key.namespace().equals(request.namespace())) {
        break;
      }
      Optional<Stored> item =
          past.getOrDefault(key, get(key)).filter(there -> request.wanted().test(there.object()));
      if (item.isEmpty()) {
        continue;
      }
      if (request.limit() > 0 && items.size() == request.limit()) {
        following = following.or(() -> Optional.of(key));
        remaining++;
      } else {
        items.add(item.get());
      }
    }
    return new Page(items, revision, following, remaining);
  }

  /** Present and past keys in order; a key may come twice in a row. */
  private Iterator<Store.Key> keys(
      PageRequest request, NavigableMap<Store.Key, Optional<Stored>> past) {
    Iterator<Store.Key> present = objects.tailMap(request.from(), true).keySet().iterator();
    return past.isEmpty()
        ? present
        : Iterators.mergeSorted(
            List.of(present, past.keySet().iterator()), Comparator.<Store.Key>naturalOrder());
  }
}
