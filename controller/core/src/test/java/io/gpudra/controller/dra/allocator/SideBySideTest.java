package io.gpudra.controller.dra.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.DiscreteDomain;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Range;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A unit of work with many writes leaves room in the pool for others. */
final class SideBySideTest {
  private static final int MANY = 1_000;

  @Test
  void fewWritesOfAUnitWaitInThePool() {
    AtomicInteger waiting = new AtomicInteger();
    Queue<Integer> most = new ArrayDeque<>();
    ImmutableList<Integer> items =
        ContiguousSet.create(Range.closedOpen(0, MANY), DiscreteDomain.integers()).asList();
    CompletableFuture<Void> start = new CompletableFuture<>();
    ImmutableList<Integer> done =
        SideBySide.each(
            items,
            item -> {
              waiting.decrementAndGet();
              return item + 1;
            },
            task -> {
              most.add(waiting.incrementAndGet());
              start.thenRunAsync(task);
              if (most.size() % 8 == 0) {
                start.complete(null);
              }
            });

    assertThat(done).hasSize(MANY).startsWith(1, 2).endsWith(MANY);
    assertThat(most).allMatch(count -> count <= 32);
  }
}
