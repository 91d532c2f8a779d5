package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.allocator.Allocator.Attempt;
import io.gpudra.controller.dra.allocator.Allocator.Reserved;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.FakeReason;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod with two claims: both granted, or what cannot be given back alone. */
final class BatchTest {
  private static final Duration A_WHILE = Duration.ofSeconds(2);

  private final World world = World.of("worker", 4);

  private World twoClaims() {
    world.addClaim(claim("a")).addClaim(claim("b"));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    return world.select("pod", "worker");
  }

  private void assertBothGranted() {
    for (String name : List.of("a", "b")) {
      assertThat(world.claim(name).allocatedByUs()).as(name).isTrue();
      assertThat(world.claim(name).reservedFor()).containsExactly("pod-uid");
    }
    assertLedgerIsWhatTheApiSays();
  }

  private void assertLedgerIsWhatTheApiSays() {
    assertThat(world.driver.holds.keySet())
        .isEqualTo(
            world.cluster.claims.values().stream()
                .filter(ClaimFacts::allocatedByUs)
                .map(ClaimFacts::uid)
                .collect(ImmutableSet.toImmutableSet()));
    assertThat(world.driver.holds.values()).allMatch(FakeDriver.Hold::granted);
  }

  @Test
  void allFinalizersAreWrittenBeforeTheFirstGrant() {
    twoClaims().run();
    assertThat(world.takeCalls())
        .containsExactly(
            "GET pod pod",
            "PUT addFinalizer a",
            "PUT addFinalizer b",
            "PUT allocate a",
            "PUT allocate b");
    assertBothGranted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"addFinalizer", "allocate"})
  void anUnclearWriteIsSentAgainUntilItIsClear(String verb) {
    world.cluster.failNext(verb, Kind.UNCLEAR);
    world.cluster.failNext(verb, Kind.UNCLEAR);
    world.cluster.failNext(verb, Kind.UNCLEAR);
    twoClaims().pass(A_WHILE);
    assertBothGranted();
  }

  @Test
  void aFinalizerThatGoesBeforeTheGrantIsWrittenAnewUntilThatIsClear() {
    world.cluster.beforeNext(
        "allocate",
        () -> {
          world.cluster.change(Some.ref("a"), claim -> claim.withFinalizer(false));
          world.cluster.failNext("addFinalizer", Kind.UNCLEAR);
        });
    twoClaims().pass(A_WHILE);
    assertBothGranted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"addFinalizer", "allocate"})
  void aWriteWhoseReplyWasLostIsFoundByItsConflict(String verb) {
    world.cluster.failNextAfterTheEffect(verb, Kind.UNCLEAR);
    twoClaims().pass(A_WHILE);
    assertBothGranted();
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("allocate"))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"addFinalizer", "allocate"})
  void aConflictIsReadAgainAndWrittenAgainAtOnceWithTheSameHandle(String verb) {
    twoClaims();
    world.cluster.beforeNext(
        verb, () -> world.cluster.change(Some.ref("a"), s -> s.owner("somebody")));
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertBothGranted();
    assertThat(world.claim("a").ownerUid()).as("not overwritten").hasValue("somebody");
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("allocate"))).hasSize(1);
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void aLostSearchRefusesNoNodeAndIsRepeatedAfterAPause() {
    world.driver.limited = Optional.of(new Driver.Allocation.Changed());
    twoClaims().run();
    world.driver.limited = Optional.empty();
    world.pass(ControllerDelays.LOST_SEARCH.minusMillis(100));
    assertThat(world.takeCalls()).containsExactly("GET pod pod");
    assertThat(world.cluster.warnings).isEmpty();
    world.pass(Duration.ofMillis(200));
    assertBothGranted();
  }

  @Test
  void aBatchOutlivesItsContext() {
    world.cluster.failNextAfterTheEffect("allocate", Kind.UNCLEAR);
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    world.pass(A_WHILE);
    assertBothGranted();
  }

  @Test
  void whileABatchIsOpenNobodyElseTouchesItsClaims() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    world.cluster.change(Some.ref("b"), s -> s.reservedFor().requested(true));
    while (world.claimLoop.runOnce()) {}
    assertThat(world.claim("b").allocatedByUs()).as("its batch is not settled").isTrue();
    world.pass(A_WHILE);
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.driver.calls).contains("release b-uid");
  }

  @Test
  void aClaimThatGoesBeforeAnyGrantEndsTheWholeBatchWithoutAGrant() {
    world.cluster.failNext("addFinalizer", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.remove(Some.ref("a"));
    world.pass(A_WHILE);
    assertThat(world.claim("b").allocation()).isEmpty();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.cluster.warnings).extracting("reason").contains("AllocationFailed");
  }

  @Test
  void aClaimThatGoesAmidTheGrantsIsGivenBackAloneAndTheOtherStaysReserved() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.remove(Some.ref("a"));
    assertThat(world.driver.holds).as("until all are settled").hasSize(2);
    world.pass(A_WHILE);
    assertThat(world.claim("b").reservedFor()).containsExactly("pod-uid");
    assertThat(world.cluster.warnings)
        .extracting("message")
        .containsExactly("the claim is gone", "claim default/a: the claim is gone");
    assertLedgerIsWhatTheApiSays();
  }

  @Test
  void aClaimRecreatedUnderItsNameIsNotWrittenWithTheOldGrant() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.remove(Some.ref("a"));
    world.addClaim(claim("a").uid("second"));
    world.pass(A_WHILE);
    assertBothGranted();
    assertThat(world.claim("a").uid().value()).isEqualTo("second");
  }

  @Test
  void aClaimThatAnotherDriverAllocatedIsLeftToIt() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.change(Some.ref("a"), Some::byOther);
    world.pass(A_WHILE);
    assertThat(world.claim("a").allocatedByUs()).isFalse();
    assertLedgerIsWhatTheApiSays();
  }

  @Test
  void givingUpAWriteThatMayHaveBeenSentDropsTheFinalizerFirst() {
    world.addClaim(claim("a")).addPod("pod", World.direct("a")).select("pod", "worker");
    world.cluster.failNext("allocate", Kind.REJECTED);
    assertThat(world.contextLoop.runOnce()).isTrue();
    List<String> calls = world.takeCalls();
    assertThat(calls.subList(calls.size() - 3, calls.size()))
        .containsExactly("PUT allocate a", "GET claim a", "PUT removeFinalizer a");
    assertThat(world.driver.holds).isEmpty();
  }

  @Test
  void aRefusedCommitIsPublishedForEveryPendingClaimInTheSamePass() {
    world.driver.refusingCommit = ImmutableSet.of("worker");
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.entries("pod").get("my-a")).containsExactly("worker");
    assertThat(world.entries("pod").get("my-b")).containsExactly("worker");
    assertThat(world.cluster.warnings).extracting("reason").containsOnly("NoFreeDevice");
    assertThat(world.cluster.warnings)
        .extracting("message")
        .asString()
        .contains("0 of 1 node fits: 1 all matching GPUs in use; nearest: worker lacks 1 of 1");
  }

  @Test
  void twoPodsThatShareAClaimWithTwoSelectedNodesGetOneGrant() {
    World two = new World(ImmutableMap.of("worker", 1, "worker-2", 1));
    two.addClaim(claim("a"));
    two.addPod("one", World.direct("a")).addPod("two", World.direct("a"));
    two.cluster.failNext("allocate", Kind.UNCLEAR);
    two.select("one", "worker").select("two", "worker-2").pass(A_WHILE);
    assertThat(two.claim("a").reservedFor()).containsExactly("one-uid");
    assertThat(two.driver.holds).hasSize(1);
    assertThat(two.driver.calls).noneMatch(call -> call.equals("allocate [a] worker-2"));
  }

  @Test
  void onACacheThatLagsNothingIsAllocatedTwice() {
    world.addClaim(claim("a")).addPod("pod", World.direct("a")).select("pod", "worker").run();
    world.cluster.frozen = true;
    world.select("pod", "worker").pass(A_WHILE);
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("allocate"))).hasSize(1);
  }

  @Test
  void aClaimRemovedByForceAfterItsGrantIsForgottenWhenItsBatchIsSettled() {
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    twoClaims();
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    world.cluster.remove(Some.ref("b"));
    world.pass(Duration.ofMillis(200));
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertLedgerIsWhatTheApiSays();
  }

  @Test
  void factsOlderThanTheOwnershipAreNotActedOn() {
    world.addClaim(claim("a"));
    PendingClaim<String> old = pending("a");
    world.cluster.change(Some.ref("a"), s -> s.owner("changed"));

    assertThat(allocate(new ClaimLocks(unused -> {}), old)).isInstanceOf(Attempt.Later.class);
    assertThat(world.driver.calls).isEmpty();
  }

  @Test
  void whatAnotherWorkOwnsIsLeftToItAndItsEndWakes() {
    world.addClaim(claim("a"));
    PendingClaim<String> owned = pending("a");
    ImmutableSet<ClaimUid> uid = ImmutableSet.of(owned.claim().uid());
    List<WorkKey> woken = new ArrayList<>();
    ClaimLocks claimLocks = new ClaimLocks(woken::add);
    WorkKey other = WorkKey.context(new ObjectKey(Some.NS, "pod"));
    assertThat(claimLocks.acquire(uid, other)).isTrue();

    assertThat(allocate(claimLocks, owned)).isInstanceOf(Attempt.Later.class);
    assertThat(world.driver.calls).isEmpty();
    claimLocks.release(uid, other);
    assertThat(woken).containsExactly(WorkKey.claim(Some.ref("a")));
  }

  @Test
  void claimsOfSeveralPodsAreReservedForEachOfThem() {
    world.addClaim(claim("a")).addClaim(claim("b"));
    ImmutableList<PendingClaim<String>> both = ImmutableList.of(pending("a"), pending("b"));
    WorkKey group = WorkKey.gate(new ObjectKey(Some.NS, "group/g"));
    Attempt attempt =
        allocator(new ClaimLocks(unused -> {}))
            .allocate(
                group,
                both,
                () -> Reserved.of(held(both, group)),
                ImmutableMap.of(
                    both.get(0).claim().uid(), World.podRef("one"),
                    both.get(1).claim().uid(), World.podRef("two")));

    assertThat(world.claim("a").reservedFor()).containsExactly("one-uid");
    assertThat(world.claim("b").reservedFor()).containsExactly("two-uid");
    assertThat(((Attempt.Settled) attempt).pod(world.claim("b"))).hasValue(World.podRef("two"));
    assertLedgerIsWhatTheApiSays();
  }

  private Driver.Allocation held(ImmutableList<PendingClaim<String>> claims, WorkKey work) {
    return world.driver.allocate(claims, new NodeChoice.OneNode("worker"), work.owner());
  }

  @Test
  void whatIsNotReservedIsNotWrittenAndOwnsNothing() {
    world.addClaim(claim("a"));
    PendingClaim<String> claim = pending("a");
    ClaimLocks claimLocks = new ClaimLocks(unused -> {});
    Attempt no = new Attempt.Limited(FakeReason.FULL, ImmutableSet.of("quota"));
    world.takeCalls();

    assertThat(
            allocator(claimLocks)
                .allocate(
                    WorkKey.claim(claim.claim().ref()),
                    ImmutableList.of(claim),
                    () -> new Reserved.No(no),
                    ImmutableMap.of()))
        .isEqualTo(no);
    assertThat(world.takeCalls()).isEmpty();
    assertThat(claimLocks.size()).isZero();
  }

  private PendingClaim<String> pending(String name) {
    ClassFacts ours = world.cluster.addClass("mock-class", Some.DRIVER, /* structured= */ false);
    return new PendingClaim<>(world.claim(name), ours, "one");
  }

  private Attempt allocate(ClaimLocks claimLocks, PendingClaim<String> claim) {
    return allocator(claimLocks)
        .allocate(
            WorkKey.claim(claim.claim().ref()),
            ImmutableList.of(claim),
            new NodeChoice.AnyNode(ImmutableSet::of),
            Optional.empty());
  }

  private Allocator<String> allocator(ClaimLocks claimLocks) {
    return new Allocator<>(
        world.driver,
        new GrantWriter(world.cluster, world.cluster, Some.DRIVER, Runnable::run),
        claimLocks,
        new WriteRejectionBackoff(() -> 0L),
        new ClaimFeed(world.driver, world.cluster),
        work -> {});
  }
}
