package io.gpudra.controller.gate.group;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Members of a group start together or not, and a group that does not start holds nothing. */
final class GroupReconcilerTest {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  private final GateWorld gate = new GateWorld(ImmutableMap.of("n1", 2, "n2", 1));

  private static SomePod member(String name) {
    return pod(name, "of-" + name).inGroup("g", "3");
  }

  private static Some of(String pod) {
    return claim("of-" + pod);
  }

  private void members(String... names) {
    for (String name : names) {
      gate.claims(of(name));
    }
    for (String name : names) {
      gate.put(member(name));
    }
  }

  private void bound(String name, Phase phase) {
    gate.pods.bound(World.podRef(name), phase, Some.ref("of-" + name));
  }

  private Stream<String> reasons() {
    return gate.world.cluster.warnings.stream().map(Warning::reason).distinct();
  }

  @Test
  void aGroupIsGrantedBeforeTheFirstGateGoes() {
    members("a", "b", "c");
    gate.run();

    assertThat(gate.world.takeCalls())
        .containsExactly(
            "PUT addFinalizer of-a",
            "PUT addFinalizer of-b",
            "PUT addFinalizer of-c",
            "PUT allocate of-a",
            "PUT allocate of-b",
            "PUT allocate of-c",
            "PUT lift a",
            "PUT lift b",
            "PUT lift c");
    assertThat(gate.world.claim("of-b").reservedFor()).containsExactly("b-uid");
    assertThat(gate.outcomes).containsExactly("granted", "granted", "granted");
    assertThat(gate.world.cluster.warnings).isEmpty();
  }

  @Test
  void nothingIsHeldForAGroupOfWhichMembersAreMissing() {
    members("a", "b");
    gate.pass(A_WHILE);

    assertThat(gate.world.takeCalls()).containsExactly("LIST pods of group/g");
    assertThat(gate.placer.searches).isEmpty();
    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::message)
        .containsOnly(
            "2 of 3 members of a group of 3 are at their gates: nothing is allocated before all"
                + " are");

    members("c");
    gate.run();
    assertThat(gate.pods.isGated("c")).isFalse();
  }

  @Test
  void membersThatAreCreatedOneAfterTheOtherCostNoListAndNoEvent() {
    for (String name : new String[] {"a", "b", "c"}) {
      members(name);
      gate.pass(Duration.ofMillis(100));
    }

    assertThat(gate.world.cluster.calls).noneMatch(call -> call.startsWith("LIST"));
    assertThat(gate.world.cluster.warnings).isEmpty();
    assertThat(gate.pods.isGated("a")).isFalse();
  }

  @Test
  void nothingIsHeldForAGroupThatDoesNotFit() {
    gate.claims(claim("x")).put(pod("single", "x")).run();
    gate.world.takeCalls();
    members("a", "b", "c");
    gate.run();

    assertThat(gate.world.takeCalls()).isEmpty();
    assertThat(gate.world.driver.holds).hasSize(1);
    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::message)
        .containsOnly("2 of 3 members fit at once: nothing is allocated before all do");

    gate.pods.remove("single");
    gate.world.cluster.remove(Some.ref("x"));
    gate.pass(SOON);
    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.world.driver.holds).hasSize(3);
  }

  @Test
  void twoGroupsOfWhichEachFitsAloneDoNotBlockEachOther() {
    members("a", "b", "c");
    for (String name : new String[] {"x", "y"}) {
      gate.claims(of(name)).put(pod(name, "of-" + name).inGroup("h", "2"));
    }
    gate.run();
    boolean first = !gate.pods.isGated("a");
    assertThat(gate.pods.isGated("x")).isEqualTo(first);
    assertThat(gate.world.driver.holds).hasSize(first ? 3 : 2);

    for (String name : first ? new String[] {"a", "b", "c"} : new String[] {"x", "y"}) {
      gate.pods.remove(name);
      gate.world.cluster.remove(Some.ref("of-" + name));
    }
    gate.pass(SOON);
    assertThat(gate.pods.isGated(first ? "x" : "a")).isFalse();
  }

  @Test
  void aPartThatAFormerLeaderGrantedIsCompleted() {
    gate.claims(of("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("a-uid"));
    gate.claims(of("b"), of("c")).put(member("a")).put(member("b")).put(member("c")).run();

    assertThat(gate.nodeOf("of-a")).isEqualTo("n2");
    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.placer.searches).allMatch(pods -> !pods.contains("a"));
  }

  @Test
  void aPartThatCannotBeCompletedIsGivenBack() {
    gate.claims(claim("x").withFinalizer(true).byUs("n1#0", "n1").reservedFor("x-uid"));
    gate.claims(of("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("a-uid"));
    gate.claims(of("b"), of("c")).put(member("a")).put(member("b")).put(member("c")).run();

    assertThat(gate.world.claim("of-a").allocation()).isEmpty();
    assertThat(gate.world.driver.holds).hasSize(1);
    assertThat(gate.pods.isGated("a")).isTrue();
  }

  @Test
  void theGrantOfAGroupThatLostAMemberIsGivenBack() {
    gate.claims(of("a").withFinalizer(true).byUs("n2#0", "n2").reservedFor("a-uid"), of("b"));
    gate.put(member("a")).put(member("b")).pass(A_WHILE);

    assertThat(gate.world.claim("of-a").allocation()).isEmpty();
    assertThat(gate.world.driver.holds).isEmpty();
  }

  @Test
  void aMemberThatIsMadeAnewStartsBesideThoseThatRun() {
    bound("b", Phase.ALIVE);
    bound("c", Phase.SUCCEEDED);
    members("a");
    gate.pass(A_WHILE);

    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.world.cluster.warnings).isEmpty();
  }

  @Test
  void aGroupWaitsForTheServersList() {
    gate.world.mayFail = true;
    gate.pods.silent = true;
    bound("b", Phase.ALIVE);
    bound("c", Phase.ALIVE);
    members("a");
    gate.pass(A_WHILE);
    assertThat(gate.pods.isGated("a")).isTrue();

    gate.pods.silent = false;
    gate.pass(A_WHILE);
    assertThat(gate.pods.isGated("a")).isFalse();
  }

  @Test
  void aMemberWhoseGateWasRemovedByHandIsGrantedWithTheOthers() {
    gate.claims(of("a"), of("b"), of("c")).put(member("a").ungated()).put(member("b"));
    gate.world.addPod(member("a").facts().facts()).select("a", "n1").pass(SOON);
    assertThat(gate.world.claim("of-a").allocation()).isEmpty();

    gate.put(member("c")).pass(A_WHILE);
    assertThat(gate.world.claim("of-a").reservedFor()).containsExactly("a-uid");
    assertThat(gate.pods.isGated("c")).isFalse();
    assertThat(gate.placer.searches).containsExactly(ImmutableList.of("b", "c", "a"));
  }

  @Test
  void labelsWithoutAGateAreToldAndHaveNoEffect() {
    gate.claims(of("a")).put(member("a").ungated()).run();
    gate.world.addPod(member("a").facts().facts()).select("a", "n1").run();

    assertThat(gate.world.claim("of-a").allocatedByUs()).isTrue();
    assertThat(gate.notes).extracting(Warning::reason).containsOnly("GroupWithoutGate");
  }

  @Test
  void aMemberWithoutClaimsStartsWithTheOthers() {
    gate.put(pod("launcher").inGroup("g", "3"));
    members("a");
    gate.run();
    assertThat(gate.pods.isGated("launcher")).isTrue();

    members("b");
    gate.run();
    assertThat(gate.pods.isGated("launcher")).isFalse();
    assertThat(gate.pods.isGated("a")).isFalse();
  }

  @Test
  void aClaimThatMembersShareIsAllocatedOnce() {
    gate.claims(claim("shared"));
    for (String name : new String[] {"a", "b", "c"}) {
      gate.put(pod(name, "shared").inGroup("g", "3"));
    }
    gate.run();

    assertThat(gate.world.takeCalls())
        .containsExactly(
            "PUT addFinalizer shared",
            "PUT allocate shared",
            "PUT lift a",
            "PUT lift b",
            "PUT lift c");
  }

  static Stream<SomePod> membersThatCannotStartTogether() {
    return Stream.of(
        pod("c", "of-c", "x").inGroup("g", "3"),
        pod("c", "now").inGroup("g", "3"),
        member("c").unjudged(LiftReason.TOPOLOGY_SPREAD),
        pod("c").inGroup("g", "3").unjudged(LiftReason.CROWDED),
        pod("c").inGroup("g", "3").unjudged(LiftReason.UNREADABLE),
        pod("c", "of-c").inGroup("g", "4"));
  }

  @ParameterizedTest
  @MethodSource("membersThatCannotStartTogether")
  void aMemberThatCannotStartWithOthersIsToldAndNoneStarts(SomePod third) {
    gate.claims(claim("x").ofClass("other-class"), claim("now").immediate(), of("c")).run();
    members("a", "b");
    gate.put(third).pass(A_WHILE);

    assertThat(reasons()).containsExactly("GroupInvalid");
    assertThat(gate.pods.isGated("a")).isTrue();
    assertThat(gate.world.claim("of-a").allocation()).isEmpty();
  }

  @Test
  void anotherGateThatHoldsAMemberIsNotTold() {
    members("a", "b");
    gate.claims(of("c")).put(member("c").heldByOthers()).pass(A_WHILE);

    assertThat(gate.world.cluster.warnings).isEmpty();
    assertThat(gate.world.takeCalls()).isEmpty();
    assertThat(gate.pods.isGated("a")).isTrue();
  }

  @Test
  void aClaimThatIsMissingHoldsUpTheGroup() {
    gate.claims(of("a"), of("b")).put(member("a")).put(member("b")).put(member("c")).run();
    assertThat(gate.world.takeCalls()).isEmpty();

    gate.claims(of("c")).run();
    assertThat(gate.pods.isGated("a")).isFalse();
  }

  @Test
  void aLimitHoldsUpTheWholeGroup() {
    gate.placer.answer =
        Optional.of(
            new GroupPlacing.Limited(
                StatedReason.of(UnsuitableReason.Kind.QUOTA_EXCEEDED), ImmutableSet.of("quota")));
    members("a", "b", "c");
    gate.run();

    assertThat(reasons()).containsExactly("QuotaExceeded");
    assertThat(gate.world.requeuer.waitQueue().limited(Some.NS)).hasSize(3);
    assertThat(gate.world.takeCalls()).isEmpty();
  }

  @Test
  void aSearchWithoutAnAnswerIsTold() {
    gate.placer.answer = Optional.of(new GroupPlacing.Undecided(1));
    members("a", "b", "c");
    gate.run();

    assertThat(reasons()).containsExactly("GroupUndecided");
  }

  @Test
  void whileAnotherGroupIsSearchedThisOneTakesItsTurnLater() {
    gate.placer.answer = Optional.of(new GroupPlacing.Busy(3));
    members("a", "b", "c");
    gate.run();
    gate.placer.answer = Optional.empty();
    gate.pass(ControllerDelays.GROUP_TURN.multipliedBy(2));
    assertThat(gate.pods.isGated("a")).isTrue();

    gate.pass(ControllerDelays.GROUP_TURN);

    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.world.cluster.warnings).isEmpty();
  }

  @Test
  void aLostClaimKeepsAllGates() {
    gate.world.cluster.failNext("allocate", Kind.REJECTED);
    members("a", "b", "c");
    gate.run();
    assertThat(gate.pods.isGated("a")).isTrue();
    assertThat(gate.pods.isGated("b")).isTrue();

    gate.pass(SOON.multipliedBy(3));
    assertThat(gate.pods.isGated("a")).isFalse();
  }

  @Test
  void aLiftWithoutAClearAnswerIsSentAgain() {
    gate.world.cluster.failNext("lift", Kind.UNCLEAR);
    members("a", "b", "c");
    gate.world.cluster.beforeNext("lift", () -> bound("b", Phase.ALIVE));
    gate.pass(SOON);

    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.pods.isGated("c")).isFalse();
  }

  @Test
  void aMemberForWhichTheSchedulerFindsNoRoomGivesItsGrantBack() {
    members("a", "b", "c");
    gate.run();
    gate.pods.remove("b");
    gate.put(member("a").ungated().refused()).run();
    assertThat(gate.world.claim("of-a").allocatedByUs()).isTrue();

    gate.pass(ControllerDelays.MISJUDGED.plus(SOON));
    assertThat(gate.world.claim("of-a").allocation()).isEmpty();
    assertThat(gate.world.claim("of-c").allocatedByUs()).isTrue();
    assertThat(gate.outcomes).endsWith("returned");
  }

  @Test
  void aGroupThatStartedIsForgotten() {
    members("a", "b", "c");
    gate.run();
    for (String name : new String[] {"a", "b", "c"}) {
      gate.pods.remove(name);
    }
    gate.run();

    assertThat(gate.remembered()).isEmpty();
  }

  @Test
  void aGroupThatWaitsIsForgottenWhenItGoes() {
    members("a", "b");
    gate.pass(A_WHILE);
    gate.pods.remove("a");
    gate.pods.remove("b");
    gate.run();

    assertThat(gate.remembered()).isEmpty();
  }
}
