package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.hash.Hashing;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeChoice.AnyNode;
import io.gpudra.controller.dra.NodeChoice.AnyOf;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** While all priorities are equal, each offer, wake and delay is as it was without priorities. */
final class EqualPrioritiesTest {
  private static final int EVENTS = 10_000;

  /** Recorded before there were priorities. */
  private static final String AS_BEFORE =
      "13a041e2363a88de208e9340e8fd28687667ee4c11421274e5d25ad19236fc00";

  private static final ImmutableList<String> NODES = ImmutableList.of("a", "b", "c", "d");

  private final Random random = new Random(34);
  private final AtomicLong now = new AtomicLong();
  private final List<String> seen = new ArrayList<>();
  private final WaitQueue waitQueue =
      new WaitQueue(
          now::get,
          random,
          (work, delay) -> seen.add(work.key().name() + " is woken after " + delay));

  private static Waiter waiter(int number) {
    WorkKey work = WorkKey.context(new ObjectKey("ns", "w" + number));
    return new Waiter(new WaitRank(7, Some.EPOCH.plusSeconds(number % 20)), "uid" + number, work);
  }

  @Test
  void everythingIsAsItWasWithoutPriorities() {
    for (int i = 0; i < EVENTS; i++) {
      now.addAndGet(Duration.ofMillis(random.nextInt(2_000)).toNanos());
      event(waiter(random.nextInt(40)));
    }

    assertThat(waitQueue.waiting()).isPositive();
    assertThat(Hashing.sha256().hashString(String.join("\n", seen), StandardCharsets.UTF_8))
        .hasToString(AS_BEFORE);
  }

  private void event(Waiter waiter) {
    switch (random.nextInt(8)) {
      case 0 -> waitQueue.freed(node(), 1 + random.nextInt(3));
      case 1 -> waitQueue.remove(waiter.work(), ImmutableMultiset.of(node(), node()));
      case 2 -> waitQueue.enter(waiter).published();
      case 3, 4 -> onSomeNodes(waitQueue.enter(waiter));
      default -> onAnyNode(waitQueue.enter(waiter, random.nextInt(5)));
    }
  }

  private String node() {
    return NODES.get(random.nextInt(NODES.size()));
  }

  private void onSomeNodes(Turn turn) {
    ImmutableSet<String> nodes = ImmutableSet.copyOf(List.of(node(), node()));
    seen.add("may be told " + turn.publishHistory(nodes));
    meanwhile();
    seen.add("is refused for " + turn.refused(nodes));
  }

  private void onAnyNode(Turn turn) {
    NodeChoice where = turn.where();
    meanwhile();
    seen.add("is evaluated on " + text(where));
    seen.add("is refused for " + turn.refusedAnywhere(/* alike= */ random.nextBoolean()));
  }

  private void meanwhile() {
    if (random.nextInt(10) == 0) {
      waitQueue.freed(node(), 1);
    }
  }

  private static String text(NodeChoice where) {
    return where instanceof AnyOf some
        ? "some: " + ImmutableSortedSet.copyOf(some.nodes())
        : "all but: " + ImmutableSortedSet.copyOf(((AnyNode) where).but().get());
  }
}
