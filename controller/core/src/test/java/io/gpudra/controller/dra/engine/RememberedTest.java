package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is remembered of a pod, and that nothing of it stays. */
final class RememberedTest {
  private static final ObjectKey POD = new ObjectKey(Some.NS, "pod");

  /** A claim by its context, and the context by its claim. */
  private static final int BOTH_NAMES = 2;

  private static final ImmutableMap<String, Integer> NOT_WAITING =
      ImmutableMap.of("names", BOTH_NAMES, "podReads", 1);

  private final World world = World.of("worker", 1);

  private void onePod() {
    world.addClaim(claim("c")).addPod("pod", World.direct("c")).select("pod", "worker");
  }

  private void waitingPod() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    onePod();
    world.run();
    assertThat(world.remembered())
        .isEqualTo(ImmutableMap.of("names", BOTH_NAMES, "podReads", 1, "told", 1, "waiters", 1));
  }

  @Test
  void anOpenBatchAndItsClaimsUntilItIsSettled() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    onePod();
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.remembered())
        .isEqualTo(
            ImmutableMap.of(
                "names", BOTH_NAMES, "openBatches", 1, "ownedClaims", 1, "podReads", 1));
    world.pass(Duration.ofSeconds(1));

    assertThat(world.remembered()).isEqualTo(NOT_WAITING);
  }

  @Test
  void thatAGrantWasRefusedForAWhile() {
    world.cluster.failNext("allocate", Kind.REJECTED);
    onePod();
    world.run();
    assertThat(world.remembered()).containsEntry("rejections", 1);
    world.pass(Duration.ofMinutes(2));

    assertThat(world.remembered()).isEqualTo(NOT_WAITING);
  }

  @Test
  void whatAPodWasOfferedUntilItHasAnswered() {
    waitingPod();
    world.requeuer.freed("worker", 1);
    assertThat(world.remembered()).containsEntry("offers", 1);
    world.run();

    assertThat(world.remembered()).doesNotContainKey("offers");
  }

  @Test
  void nothingOfAContextThatIsGone() {
    waitingPod();
    world.cluster.removeContext(POD);
    world.run();

    assertThat(world.remembered()).isEmpty();
  }

  @Test
  void aPodWhoseClaimAnotherDriverAllocatedWaitsNoMore() {
    waitingPod();
    world.cluster.change(Some.ref("c"), Some::byOther);
    world.run();

    assertThat(world.remembered()).isEqualTo(NOT_WAITING);
  }

  @Test
  void aPodWhoseClaimIsMissingWaitsForNoDevice() {
    waitingPod();
    world.cluster.remove(Some.ref("c"));
    world.run();

    assertThat(world.remembered()).isEqualTo(NOT_WAITING);
  }

  @Test
  void ofAPodThatHasEndedOnlyThat() {
    waitingPod();
    world.addPod(
        new PodFacts(
            World.podRef("pod"), false, /* terminal= */ true, ImmutableList.of(World.direct("c"))));
    world.cluster.put(claim("c").uid("successor").facts());
    world.pass(Duration.ofSeconds(3));

    assertThat(world.remembered()).isEqualTo(ImmutableMap.of("podReads", 1));
  }
}
