package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.NodeChoice.Fitting;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where a pod with a demand on its node may be allocated. */
class TurnTest {
  private static final NodeDemand DEMAND =
      new NodeDemand(Optional.empty(), ImmutableList.of(), ImmutableMap.of("cpu", 1L));

  private final WaitQueue waitQueue = new WaitQueue(() -> 0L, () -> 0L, (work, delay) -> {});

  private static Waiter waiter(int age) {
    String name = "w" + age;
    return new Waiter(
        new WaitRank(0, Some.EPOCH.plusSeconds(age)),
        name,
        WorkKey.context(new ObjectKey(Some.NS, name)));
  }

  private Fitting where(int age, String request) {
    return (Fitting)
        waitQueue.enter(waiter(age), request).where(DEMAND, () -> ImmutableSet.of("left out"));
  }

  @Test
  void aPodLeavesAloneWhatIsOnOfferToOthersAndWhatDoesNotSuitIt() {
    for (int age = 0; age < 5; age++) {
      waitQueue.enter(waiter(age), "request " + age).refusedAnywhere(/* alike= */ true);
    }
    waitQueue.freed("a", 1);

    assertThat(where(4, "another").demand()).isEqualTo(DEMAND);
    assertThat(where(4, "another").nodes()).isEmpty();
    assertThat(where(4, "another").but().get()).containsExactlyInAnyOrder("a", "left out");
    assertThat(where(0, "another").but().get()).containsExactly("left out");
  }

  @Test
  void aPodThatWaitsIsLookedAtOnTheNodesThatMayAnswerOtherwise() {
    waitQueue.enter(waiter(0), "one").refusedAnywhere(/* alike= */ true);
    waitQueue.freed("a", 1);

    assertThat(where(0, "one").nodes()).hasValue(ImmutableSet.of("a"));
  }
}
