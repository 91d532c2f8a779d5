package io.gpudra.controller.dra.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.DiscreteDomain;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Range;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A unit of work with many writes leaves room in the pool for others. */
final class SideBySideTest {
  private static final int MANY = 100;
  private static final int AT_ONCE = 32;

  @Test
  void fewWritesOfAUnitWaitInThePool() {
    ImmutableList<Integer> items =
        ContiguousSet.create(Range.closedOpen(0, MANY), DiscreteDomain.integers()).asList();
    Queue<Runnable> pool = new ConcurrentLinkedQueue<>();
    AtomicReference<ImmutableList<Integer>> done = new AtomicReference<>();
    Thread unit = new Thread(() -> done.set(SideBySide.each(items, item -> item + 1, pool::add)));
    unit.start();
    while (unit.isAlive()) {
      await()
          .until(
              () ->
                  !unit.isAlive() || (unit.getState() == Thread.State.WAITING && !pool.isEmpty()));
      assertThat(pool.size()).isLessThanOrEqualTo(AT_ONCE);
      while (!pool.isEmpty()) {
        pool.remove().run();
      }
    }

    assertThat(done.get()).hasSize(MANY).startsWith(1, 2).endsWith(MANY);
  }
}
