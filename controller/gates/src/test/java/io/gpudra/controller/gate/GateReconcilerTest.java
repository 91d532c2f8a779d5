package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a pod at the gate costs, and what its pass does when writes fail. */
final class GateReconcilerTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final GateWorld gate = GateWorld.of("worker", 2);

  @Test
  void aPodCostsThreeCalls() {
    gate.claims(claim("a")).put(pod("p", "a")).run();

    assertThat(gate.world.takeCalls())
        .containsExactly("PUT addFinalizer a", "PUT allocate a", "PUT lift p");
    assertThat(gate.world.claim("a").reservedFor()).containsExactly("p-uid");
    assertThat(gate.outcomes).containsExactly("granted");
    assertThat(gate.world.cluster.moments)
        .containsExactly("granted at the gate, created at " + Some.EPOCH);
    assertThat(gate.world.cluster.warnings).isEmpty();
    assertThat(gate.notes).isEmpty();
  }

  @Test
  void theGateGoesAfterTheLastOfSeveralGrants() {
    gate.claims(claim("a"), claim("b")).put(pod("p", "a", "b")).run();

    assertThat(gate.world.takeCalls())
        .containsExactly(
            "PUT addFinalizer a",
            "PUT addFinalizer b",
            "PUT allocate a",
            "PUT allocate b",
            "PUT lift p");
    assertThat(gate.nodeOf("a")).isEqualTo(gate.nodeOf("b"));
  }

  @Test
  void nothingIsHeldForAPodThatAnotherGateHolds() {
    gate.claims(claim("a")).put(pod("p", "a").heldByOthers()).pass(GateWorld.PATIENCE.plus(SOON));
    assertThat(gate.world.takeCalls()).isEmpty();
    assertThat(gate.remembered()).isEmpty();

    gate.put(pod("p", "a")).run();
    assertThat(gate.pods.isGated("p")).isFalse();
  }

  @Test
  void aPodIsServedOnceItsClaimIsMade() {
    gate.put(pod("p", "a")).run();
    gate.claims(claim("a")).run();

    assertThat(gate.pods.isGated("p")).isFalse();
  }

  @Test
  void aPodWaitsForDevicesAndGetsThemWhenTheyAreFree() {
    gate.claims(claim("x"), claim("y"), claim("z"));
    gate.put(pod("first", "x")).put(pod("second", "y")).run();
    gate.put(pod("third", "z")).run();
    assertThat(gate.pods.isGated("third")).isTrue();
    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::reason)
        .containsExactly("NoFreeDevice");

    gate.pods.remove("first");
    gate.world.cluster.remove(Some.ref("x"));
    gate.run();
    assertThat(gate.pods.isGated("third")).isFalse();
    assertThat(gate.world.claim("z").allocatedByUs()).isTrue();
  }

  @Test
  void aLiftWithoutAClearAnswerIsSentAgain() {
    gate.world.cluster.failNext("lift", Kind.UNCLEAR);
    gate.world.cluster.failNextAfterTheEffect("lift", Kind.UNCLEAR);
    gate.claims(claim("a")).put(pod("p", "a")).pass(SOON);

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.world.claim("a").allocatedByUs()).isTrue();
  }

  @Test
  void aLiftThatTheServerRefusesIsToldAndTriedAgain() {
    gate.world.cluster.failNext("lift", Kind.REJECTED);
    gate.claims(claim("a")).put(pod("p", "a")).pass(SOON);

    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::reason)
        .containsExactly("GateStuck");
    assertThat(gate.pods.isGated("p")).isFalse();
  }

  @Test
  void aPodThatIsGoneMeanwhileNeedsNothing() {
    gate.world.cluster.beforeNext("lift", () -> gate.pods.remove("p"));
    gate.claims(claim("a")).put(pod("p", "a")).run();

    assertThat(gate.outcomes).isEmpty();
    assertThat(gate.remembered()).isEmpty();
  }

  @Test
  void anOpenGrantOfAFormerPodOfThisNameIsSettledFirst() {
    gate.world.cluster.failNextAfterTheEffect("allocate", Kind.UNCLEAR);
    gate.world.cluster.beforeNext(
        "allocate", () -> gate.put(pod("p", "b").uid("p-uid-2")).claims(claim("b")));
    gate.claims(claim("a")).put(pod("p", "a")).pass(SOON);

    assertThat(gate.world.claim("a").reservedFor()).containsExactly("p-uid");
    assertThat(gate.world.claim("b").reservedFor()).containsExactly("p-uid-2");
    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.outcomes).containsExactly("granted");
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"CONFLICT", "UNCLEAR"})
  void aGrantThatIsNotWrittenYetKeepsTheGate(Kind kind) {
    gate.world.cluster.failNext("allocate", kind);
    gate.claims(claim("a")).put(pod("p", "a")).pass(SOON);

    assertThat(gate.world.takeCalls()).endsWith("PUT allocate a", "PUT lift p");
  }

  @Test
  void aLostClaimKeepsTheGateAndIsTold() {
    gate.world.cluster.failNext("allocate", Kind.REJECTED);
    gate.claims(claim("a")).put(pod("p", "a")).run();

    assertThat(gate.pods.isGated("p")).isTrue();
    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::message)
        .contains("the API server refuses the write");
    gate.pass(SOON.multipliedBy(3));
    assertThat(gate.pods.isGated("p")).isFalse();
  }

  @Test
  void theSecondClaimFollowsTheFirstToItsNode() {
    GateWorld two = new GateWorld(ImmutableMap.of("n1", 2, "n2", 2));
    two.claims(claim("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("p-uid"), claim("b"));
    two.put(pod("p", "a", "b")).run();

    assertThat(two.nodeOf("b")).isEqualTo("n2");
    assertThat(two.pods.isGated("p")).isFalse();
  }

  @Test
  void aPartOfAGrantThatCannotBeCompletedIsGivenBack() {
    GateWorld two = new GateWorld(ImmutableMap.of("n1", 2, "n2", 1));
    two.claims(claim("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("p-uid"), claim("b"));
    two.put(pod("p", "a", "b")).run();

    assertThat(two.world.cluster.calls).contains("PUT requestDeallocation a");
    assertThat(two.nodeOf("a")).isEqualTo("n1");
    assertThat(two.nodeOf("b")).isEqualTo("n1");
    assertThat(two.pods.isGated("p")).isFalse();
  }

  @Test
  void aPartOfAGrantOfAPodThatRunsByNowIsKept() {
    GateWorld two = new GateWorld(ImmutableMap.of("n1", 2, "n2", 1));
    two.claims(claim("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("p-uid"), claim("b"));
    two.pods.running.add(World.podRef("p"));
    two.put(pod("p", "a", "b")).run();

    assertThat(two.world.takeCalls()).contains("GET pod p");
    assertThat(two.nodeOf("a")).isEqualTo("n2");
  }

  @Test
  void aClaimThatOthersUseIsNotGivenBackForThePodsOtherClaim() {
    GateWorld two = new GateWorld(ImmutableMap.of("n1", 2, "n2", 1));
    two.claims(claim("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("q"), claim("b"));
    two.put(pod("p", "a", "b")).run();

    assertThat(two.nodeOf("a")).isEqualTo("n2");
    assertThat(two.pods.isGated("p")).isTrue();
  }

  @Test
  void anImmediateClaimIsAllocatedByItselfAndTiesThePodToItsNode() {
    GateWorld two = new GateWorld(ImmutableMap.of("n1", 2, "n2", 2));
    two.world.driver.unsuitable = ImmutableSet.of("n1");
    two.claims(claim("a").immediate(), claim("b")).run();
    two.world.driver.unsuitable = ImmutableSet.of();
    two.put(pod("p", "a", "b")).run();

    assertThat(two.nodeOf("b")).isEqualTo("n2");
    assertThat(two.pods.isGated("p")).isFalse();
  }

  @Test
  void aLimitIsToldAndTheGateStays() {
    gate.world.driver.limited =
        Optional.of(
            new Allocation.Limited(
                StatedReason.of(UnsuitableReason.Kind.QUOTA_EXCEEDED), ImmutableSet.of("quota")));
    gate.claims(claim("a")).put(pod("p", "a")).pass(SOON);

    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::reason)
        .containsOnly("QuotaExceeded");
    assertThat(gate.world.requeuer.waitQueue().limited(Some.NS)).hasSize(1);

    assertThat(gate.world.takeCalls()).isEmpty();
    assertThat(gate.pods.isGated("p")).isTrue();
  }

  @Test
  void theSchedulerMayBeFasterThanTheGrantAndIsCountedOnce() {
    gate.claims(claim("a")).put(pod("p", "a")).run();
    gate.world.addContext("p", Optional.empty());
    gate.put(pod("p", "a").ungated()).run();
    gate.put(pod("p", "a").ungated().refused()).pass(SOON.multipliedBy(5));

    assertThat(gate.outcomes).containsExactly("granted", "overtaken");
    assertThat(gate.world.claim("a").reservedFor()).containsExactly("p-uid");
  }

  static Stream<SomePod> podsThatTheSchedulerJudges() {
    return Stream.of(
        pod("p", "a", "x"),
        pod("p", "a").unjudged(LiftReason.POD_AFFINITY),
        pod("p", "a").unjudged(LiftReason.TOPOLOGY_SPREAD),
        pod("p", "a").unjudged(LiftReason.HOST_PORTS));
  }

  @ParameterizedTest
  @MethodSource("podsThatTheSchedulerJudges")
  void whatCannotBeJudgedLosesItsGateByOneCallAndItIsTold(SomePod pod) {
    gate.claims(claim("a"), claim("x").ofClass("other-class")).put(pod).run();

    assertThat(gate.world.takeCalls()).containsExactly("PUT lift p");
    assertThat(gate.outcomes).hasSize(1).doesNotContain("granted");
    assertThat(gate.notes).extracting(Warning::reason).containsExactly("GateLifted");
  }

  static Stream<SomePod> podsThatNeedNoLookAtTheirClaims() {
    return Stream.concat(
        podsThatTheSchedulerJudges().skip(1),
        Stream.of(
            pod("p", "a").heldByOthers(),
            pod("p", "a").inGroup("g"),
            pod("p", "a").deleting(),
            pod("p", "a").ungated()));
  }

  @ParameterizedTest
  @MethodSource("podsThatNeedNoLookAtTheirClaims")
  void noParametersAreReadForWhatThePodAloneDecides(SomePod pod) {
    gate.claims(claim("a")).put(pod).run();

    assertThat(gate.world.driver.calls).isEmpty();
  }

  @Test
  void aSearchForANamespaceDelaysNoOtherOne() {
    gate.claims(claim("a"), claim("b").in("other"));
    gate.put(pod("p", "a")).put(pod("q").namespace("other").entries(SomePod.of("other", "b")));
    gate.world.driver.duringNextAllocation =
        () -> CompletableFuture.runAsync(gate.gateLoop::runOnce).orTimeout(10, SECONDS).join();
    gate.gateLoop.runOnce();

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.pods.isGated("q")).isFalse();
  }

  @Test
  void searchesForOneNamespaceTakeTurns() throws InterruptedException {
    Thread second = new Thread(gate.gateLoop::runOnce);
    gate.claims(claim("a"), claim("b")).put(pod("p", "a")).put(pod("q", "b"));
    gate.world.driver.duringNextAllocation =
        () -> {
          second.start();
          await().until(second::getState, Thread.State.WAITING::equals);
        };
    gate.gateLoop.runOnce();
    second.join();

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.pods.isGated("q")).isFalse();
  }

  @Test
  void fewWorkersWaitForTheSearchOfANamespace() throws InterruptedException {
    List<Thread> waiting =
        Stream.generate(() -> new Thread(gate.gateLoop::runOnce)).limit(2).toList();
    for (String name : new String[] {"p", "q", "r", "s"}) {
      gate.claims(claim("of-" + name)).put(pod(name, "of-" + name));
    }
    gate.world.driver.duringNextAllocation =
        () -> {
          for (Thread worker : waiting) {
            worker.start();
            await().until(worker::getState, Thread.State.WAITING::equals);
          }
          CompletableFuture.runAsync(gate.gateLoop::runOnce).orTimeout(10, SECONDS).join();
        };
    gate.gateLoop.runOnce();
    for (Thread worker : waiting) {
      worker.join();
    }

    assertThat(gate.pods.isGated("s")).isTrue();
    gate.pass(SOON);
    assertThat(gate.world.driver.holds).hasSize(2);
  }

  @Test
  void aPodThatHasANodeIsForgotten() {
    gate.claims(claim("a")).put(pod("p", "a")).run();
    gate.pods.remove("p");
    gate.run();

    assertThat(gate.remembered()).isEmpty();
  }

  @Test
  void aPodThatWaitsIsForgottenWhenItGoes() {
    gate.put(pod("p", "missing")).run();
    assertThat(gate.remembered()).containsOnlyKeys("gatePatience", "names");
    gate.pods.remove("p");
    gate.run();

    assertThat(gate.remembered()).isEmpty();
  }
}
