package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.UnsuitableReason;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Stories of protocol.md 8 and testing.md 3, and the number of calls they cost. */
final class ScenarioTest {
  private final World world = World.of("worker", 8);

  private World onePod() {
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    return world.select("pod", "worker").run();
  }

  private void consumerGone(String name) {
    world.cluster.change(Some.ref(name), s -> s.reservedFor().requested(true));
  }

  @Test
  void aPodWithOneClaimCostsThreeCallsAndItsReleaseTwo() {
    onePod();
    assertThat(world.takeCalls())
        .containsExactly("GET pod pod", "PUT addFinalizer c", "PUT allocate c");
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    consumerGone("c");
    world.run();
    assertThat(world.takeCalls()).containsExactly("PUT deallocate c", "PUT removeFinalizer c");
    assertThat(world.driver.holds).isEmpty();
  }

  @Test
  void aRecheckThatChangesNothingCostsNoCall() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    onePod();
    world.takeCalls();
    world.pass(Duration.ofMinutes(5));
    assertThat(world.takeCalls()).isEmpty();
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("suitability")).count())
        .isGreaterThan(5);
  }

  @Test
  void aFinishedPodIsLeftAloneAndReadOnceWhateverItsClaimDoes() {
    world.addClaim(claim("c"));
    world.addPod(
        new PodFacts(World.podRef("pod"), false, true, ImmutableList.of(World.direct("c"))));
    world.addContext("pod", Optional.of("worker")).run();
    for (int i = 0; i < 40; i++) {
      world.addContext("pod", Optional.of("worker"));
      world.cluster.change(Some.ref("c"), s -> s.owner("flip"));
      world.pass(Duration.ofMillis(50));
    }
    assertThat(world.takeCalls()).containsExactly("GET pod pod");
  }

  @Test
  void aPodThatEndsIsNotGivenItsClaimAgain() {
    onePod();
    world.addPod(
        new PodFacts(World.podRef("pod"), false, true, ImmutableList.of(World.direct("c"))));
    consumerGone("c");
    world.pass(Duration.ofSeconds(40));
    assertThat(world.claim("c").allocation()).isEmpty();
    assertThat(world.claim("c").hasFinalizer()).isFalse();
  }

  @Test
  void aPodThatEndedWhileItsClaimWasRecreatedGetsNothing() {
    onePod();
    world.addPod(
        new PodFacts(World.podRef("pod"), false, true, ImmutableList.of(World.direct("c"))));
    world.cluster.put(claim("c").uid("successor").facts());
    world.pass(Duration.ofSeconds(40));
    assertThat(world.claim("c").allocation()).isEmpty();
    assertThat(world.claim("c").hasFinalizer()).isFalse();
    assertThat(world.driver.holds).isEmpty();
  }

  /** Three pods, oldest first, that wait for the one device there is. */
  private static World threeWait() {
    World small = World.of("worker", 1);
    small.addClaim(claim("held").withFinalizer(true).byUs("worker#0", "worker"));
    for (String name : ImmutableList.of("a", "b", "c")) {
      small.addClaim(claim(name)).addPod(name, World.direct(name));
      small.addContext(name, Optional.empty(), "worker");
    }
    return small.run();
  }

  @Test
  void whoAsksForNothingAnyMoreHasAnsweredHisOffer() {
    World small = threeWait();
    small.cluster.remove(Some.ref("held"));
    small.run();
    assertThat(small.entries("c").get("my-c")).as("not its turn").containsExactly("worker");
    small.addContext("a", Optional.empty()).addContext("b", Optional.empty()).run();
    assertThat(small.entries("c").get("my-c")).isEmpty();
  }

  @Test
  void whoIsDueIsNotToldOfWhatIsOnOfferToOlderOnes() {
    World small = threeWait();
    small.elapse(Duration.ofSeconds(30));
    small.cluster.remove(Some.ref("held"));
    small.contextLoop.runNow(new ObjectKey(Some.NS, "c"));
    assertThat(small.entries("c").get("my-c")).containsExactly("worker");
  }

  @Test
  void claimsThatFitNodesButNoneInCommonAreExplained() {
    World two = new World(ImmutableMap.of("here", 2, "there", 2));
    two.driver.unsuitableFor.put("a", ImmutableSet.of("here"));
    two.driver.unsuitableFor.put("b", ImmutableSet.of("there"));
    two.addClaim(claim("a")).addClaim(claim("b"));
    two.addPod("pod", World.direct("a"), World.direct("b"));
    two.addContext("pod", Optional.empty(), "here", "there").run();
    assertThat(two.cluster.warnings)
        .extracting(ReportSink.Warning::message)
        .contains(
            "claim default/a: 1 of 2 nodes fit: 1 no GPU matches; nearest: here has none;"
                + " none fits all claims of the pod");
  }

  @Test
  void editedParametersAreAnsweredAtOnceAlsoWithGoodNews() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.addContext("pod", Optional.empty(), "worker").run();
    assertThat(world.entries("pod").get("my-c")).containsExactly("worker");
    world.driver.unsuitable = ImmutableSet.of();
    world.addContext("pod", Optional.empty(), "worker").run();
    assertThat(world.entries("pod").get("my-c")).as("not its turn").containsExactly("worker");
    world.requeuer.parametersChanged(new ParametersRef("g", "K", Optional.of(Some.NS), "p"));
    world.run();
    assertThat(world.entries("pod").get("my-c")).isEmpty();
  }

  @Test
  void moreBadNewsIsToldAfterASecondIfTheSchedulerWouldMostlySelectInVain() {
    World five = new World(ImmutableMap.of("a", 1, "b", 1, "c", 1, "d", 1, "e", 1));
    five.driver.unsuitable = ImmutableSet.of("a");
    five.addClaim(claim("c")).addPod("pod", World.direct("c"));
    five.addContext("pod", Optional.of("a"), "a", "b", "c", "d", "e").run();
    assertThat(five.entries("pod").get("my-c")).containsExactly("a");
    five.driver.unsuitable = ImmutableSet.of("a", "b");
    five.pass(Duration.ofMillis(2500));
    assertThat(five.entries("pod").get("my-c")).as("3 of 4 are right").containsExactly("a");
    five.driver.unsuitable = ImmutableSet.of("a", "b", "c");
    five.pass(Duration.ofMillis(1100));
    assertThat(five.entries("pod").get("my-c")).containsExactly("a", "b", "c");
    five.driver.unsuitable = ImmutableSet.of("a", "b", "c", "d");
    five.addContext("pod", Optional.of("a"), "a", "b", "c", "d", "e").run();
    assertThat(five.entries("pod").get("my-c")).as("not yet").containsExactly("a", "b", "c");
    five.pass(Duration.ofMillis(1100));
    assertThat(five.entries("pod").get("my-c")).containsExactly("a", "b", "c", "d");
  }

  @Test
  void aPodTiedToOneNodeByItsClaimGetsNoOtherOnAnother() {
    World two = new World(ImmutableMap.of("here", 2, "there", 2));
    two.addClaim(
        claim("shared").withFinalizer(true).byUs("there#0", "there").reservedFor("first-uid"));
    two.addClaim(claim("own")).addPod("pod", World.direct("shared"), World.direct("own"));
    two.addContext("pod", Optional.of("here"), "here", "there").run();
    assertThat(two.claim("own").allocation()).isEmpty();
    assertThat(two.entries("pod").get("my-own")).containsExactly("here");
    two.addContext("pod", Optional.of("there"), "there").run();
    assertThat(two.claim("own").allocatedByUs()).isTrue();
  }

  @Test
  void afterAReleaseTheSameContextIsUsedAgainOnlyAfterASecond() {
    onePod();
    world.takeCalls();
    consumerGone("c");
    world.pass(Duration.ofMillis(900));
    assertThat(world.claim("c").allocation()).isEmpty();
    assertThat(world.takeCalls()).doesNotContain("GET pod pod");
    world.pass(Duration.ofMillis(2500));
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.takeCalls()).contains("GET pod pod");
  }

  @Test
  void aPodForceDeletedWhileAnotherWaitsForItsClaimHandsItOver() {
    onePod();
    world.addPod("next", World.direct("c")).select("next", "worker").run();
    assertThat(world.claim("c").reservedFor()).containsExactly("pod-uid");
    world.cluster.pods.remove(World.podRef("pod"));
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    consumerGone("c");
    world.pass(Duration.ofSeconds(5));
    assertThat(world.claim("c").reservedFor()).containsExactly("next-uid");
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void devicesAreGivenBackOnlyWhenTheOldGrantIsOutOfTheApi() {
    onePod();
    world.cluster.failNext("deallocate", Kind.UNCLEAR);
    consumerGone("c");
    assertThat(world.claimLoop.runOnce()).isTrue();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.driver.holds).hasSize(1);
    world.pass(Duration.ofSeconds(1));
    assertThat(world.driver.calls).contains("release c-uid");
  }

  @Test
  void aPodWithTwoClaimsOfOursAndOneOfAnotherDriverGetsEmptyEntriesFirst() {
    world.addClaim(claim("a")).addClaim(claim("b")).addClaim(claim("x").ofClass("other-class"));
    world.addPod("pod", World.direct("a"), World.direct("b"), World.direct("x"));
    world.addContext("pod", Optional.empty(), "worker", "worker-9").run();
    assertThat(world.entries("pod"))
        .isEqualTo(
            ImmutableMap.of(
                "my-a", ImmutableSet.of("worker-9"), "my-b", ImmutableSet.of("worker-9")));
    world.select("pod", "worker").run();
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    assertThat(world.claim("x").hasFinalizer()).isFalse();
    assertThat(world.takeCalls().stream().filter(call -> call.startsWith("APPLY"))).hasSize(1);
  }

  @Test
  void oneClaimUnderTwoNamesIsAllocatedOnce() {
    world.addClaim(claim("c"));
    world.addPod(
        "pod",
        new PodClaim("first", new Resolution.ResolvedTo(Some.ref("c"), false)),
        new PodClaim("second", new Resolution.ResolvedTo(Some.ref("c"), false)));
    world.addContext("pod", Optional.empty(), "worker").run();
    assertThat(world.entries("pod").keySet()).containsExactly("first", "second");
    world.select("pod", "worker").run();
    assertThat(world.driver.calls).contains("allocate [c] worker");
    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void aClaimThatAppearsLaterThanItsContextIsFoundWithoutAWait() {
    world.addPod("pod", World.direct("c")).select("pod", "worker").run();
    world.addClaim(claim("c")).run();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.takeCalls().stream().filter(call -> call.equals("GET pod pod"))).hasSize(1);
  }

  @Test
  void aLateClassWakesItsClaimsInBothModes() {
    world.cluster.classes.clear();
    world.addClaim(claim("now").immediate());
    onePod();
    assertThat(world.cluster.warnings).extracting("reason").containsOnly("ClassNotFound");
    world.cluster.addClass("mock-class", Some.DRIVER, /* structured= */ false);
    world.requeuer.classChanged("mock-class");
    world.run();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.claim("now").allocatedByUs()).isTrue();
  }

  @Test
  void missingAndWrongParametersAreToldAndWokenWhenTheyChange() {
    ParametersRef ref = new ParametersRef("g", "K", Optional.of(Some.NS), "p");
    world.driver.parameters.put(
        "c",
        DriverParameters.refused(
            UnsuitableReason.Kind.PARAMETERS_NOT_FOUND, ImmutableList.of("K \"p\" not found")));
    world.driver.parameters.put(
        "now",
        DriverParameters.refused(
            UnsuitableReason.Kind.INVALID_PARAMETERS, ImmutableList.of("spec.count")));
    world.addClaim(claim("now").immediate());
    onePod();
    assertThat(world.cluster.warnings)
        .extracting("reason")
        .contains("ParametersNotFound", "InvalidParameters");
    world.driver.parameters.clear();
    world.requeuer.parametersChanged(ref);
    world.run();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.claim("now").allocatedByUs()).isTrue();
  }

  @Test
  void aNodeChosenWithoutPotentialNodesIsAllocatedWithoutASuitabilityCheck() {
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.addContext("pod", Optional.of("worker")).run();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.driver.calls).noneMatch(call -> call.startsWith("suitability"));
  }

  @Test
  void anImmediateClaimThatTiesThePodToAFullNodeIsNamed() {
    World full = new World(ImmutableMap.of("worker", 1, "worker-2", 1));
    full.addClaim(claim("now").immediate()).run();
    full.addClaim(claim("c")).addPod("pod", World.direct("now"), World.direct("c"));
    full.select("pod", "worker").run();
    assertThat(full.cluster.warnings)
        .extracting("message")
        .asString()
        .contains("Immediate claim default/now ties the pod to worker");
  }

  @Test
  void anImmediateClaimThatFindsNoNodeIsWokenWhenDevicesAreFreed() {
    World full = World.of("worker", 1);
    full.addClaim(claim("first").immediate()).run();
    full.addClaim(claim("second").immediate()).run();
    assertThat(full.cluster.warnings).extracting("reason").containsExactly("NoFreeDevice");
    full.cluster.change(Some.ref("first"), Some::deleting);
    full.run();
    assertThat(full.claim("second").allocatedByUs()).isTrue();
    assertThat(full.claim("second").reservedFor()).isEmpty();
  }

  @Test
  void anImmediateClaimThatWasRefusedIsJudgedOnlyWhereSomethingBecameFreeUntilItIsDue() {
    World full = new World(ImmutableMap.of("a", 1, "b", 1));
    full.driver.alike = true;
    full.addClaim(claim("one").immediate()).addClaim(claim("two").immediate()).run();
    full.addClaim(claim("waits").immediate()).run();
    full.driver.refusingCommit = ImmutableSet.of("b");
    full.driver.calls.clear();
    full.requeuer.freed("b", 1);
    full.run();
    assertThat(full.driver.calls).contains("allocate [waits] b").doesNotContain("allocate [waits]");
    assertThat(full.cluster.warnings).as("told of all nodes, once").hasSize(1);
    full.pass(Duration.ofSeconds(30));
    assertThat(full.driver.calls).contains("allocate [waits]");
    assertThat(full.cluster.warnings).hasSize(2);
  }

  @Test
  void aFinalizerThatNobodyWantsAnyMoreIsDropped() {
    world.cluster.failNext("allocate", Kind.REJECTED);
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.addClaim(claim("left").withFinalizer(true));
    world.select("pod", "worker").run();
    assertThat(world.claim("left").hasFinalizer()).isFalse();
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    world.run();
    assertThat(world.claim("c").hasFinalizer() && !world.claim("c").allocatedByUs()).isFalse();
  }

  @Test
  void eightWaitersAreWokenInPortionsAsDevicesComeFree() {
    IntStream.range(0, 8).forEach(i -> world.addClaim(claim("old-" + i).immediate()));
    world.run();
    for (int i = 0; i < 8; i++) {
      world.addClaim(claim("new-" + i)).addPod("pod-" + i, World.direct("new-" + i));
      world.select("pod-" + i, "worker");
    }
    world.run();
    world.driver.calls.clear();
    world.cluster.change(Some.ref("old-0"), Some::deleting);
    world.run();
    assertThat(world.claim("new-0").allocatedByUs()).as("the oldest").isTrue();
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("suitability")))
        .as("twice as many as devices were looked at, once each after the first took it")
        .hasSizeLessThanOrEqualTo(3);
    for (int i = 1; i < 8; i++) {
      world.cluster.change(Some.ref("old-" + i), Some::deleting);
    }
    world.run();
    for (int i = 0; i < 8; i++) {
      assertThat(world.claim("new-" + i).allocatedByUs()).as("new-" + i).isTrue();
    }
  }

  @Test
  void goodNewsWaitsForItsTurnUnlessNothingWasSaidBefore() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    onePod();
    assertThat(world.entries("pod").get("my-c")).containsExactly("worker");
    world.driver.unsuitable = ImmutableSet.of();
    world.takeCalls();
    world.addContext("pod", Optional.empty(), "worker").pass(Duration.ofSeconds(20));
    assertThat(world.takeCalls()).isEmpty();
    world.pass(Duration.ofSeconds(10));
    assertThat(world.entries("pod").get("my-c")).isEmpty();
  }
}
