package io.gpudra.controller.dra.queue;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A line of limits, with the waiters that it wakes. */
abstract class LimitLineCase {
  static final ImmutableSet<String> QUOTA = ImmutableSet.of("quota");

  /** A clock that wraps while they wait. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);

  private final List<String> woken = new ArrayList<>();

  /** Those that are woken after a delay. */
  final List<String> later = new ArrayList<>();

  final WaitQueue waitQueue =
      new WaitQueue(
          now::get,
          () -> 0L,
          (work, delay) -> (delay.isZero() ? woken : later).add(work.key().name()));

  /** The older, the smaller the number. */
  static Waiter waiter(String namespace, int age) {
    WorkKey work = WorkKey.context(new ObjectKey(namespace, "w" + age));
    return new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(age)), "uid", work);
  }

  static WorkKey work(String name) {
    return WorkKey.context(new ObjectKey("ns", name));
  }

  Turn enter(int age) {
    return waitQueue.enter(waiter("ns", age));
  }

  Duration limited(int age) {
    return enter(age).limited(QUOTA, 1);
  }

  /** A pod whose scheduler has to choose another node than this one. */
  void choosing(int age) {
    Duration unused = enter(age).choosing(ImmutableSet.of("node"));
  }

  void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  void granted(int age) {
    waitQueue.remove(waiter("ns", age).work());
  }

  List<String> takeWoken() {
    List<String> names = List.copyOf(woken);
    woken.clear();
    return names;
  }
}
