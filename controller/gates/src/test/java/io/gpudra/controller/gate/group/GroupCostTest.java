package io.gpudra.controller.gate.group;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GrantReturner;
import io.gpudra.controller.gate.ReturnBudget;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ReconcileResult;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a group costs, and the grants that its members give back. */
final class GroupCostTest {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration A_WHILE = Duration.ofSeconds(10);
  private static final int MANY = 40;
  private static final int CROWD = 65;

  private final GateWorld gate = GateWorld.of("n1", MANY);

  private static SomePod member(String name, String size) {
    return pod(name, "of-" + name).inGroup("g", size);
  }

  private static ImmutableList<String> names(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "p" + i)
        .collect(ImmutableList.toImmutableList());
  }

  private static Some granted(String name, int device) {
    return claim("of-" + name)
        .withFinalizer(true)
        .byUs("n1#" + device, "n1")
        .reservedFor(name + "-uid");
  }

  private void members(String size, String... names) {
    for (String name : names) {
      gate.claims(claim("of-" + name));
    }
    for (String name : names) {
      gate.put(member(name, size));
    }
  }

  private long podsRead() {
    return gate.world.takeCalls().stream().filter(call -> call.startsWith("GET pod")).count();
  }

  @Test
  void aMemberThatRunsByNowKeepsItsGrantHoweverOldTheWatchIs() {
    gate.claims(granted("a", 0), claim("of-b"));
    gate.pods.running.add(World.podRef("a"));
    gate.put(member("a", "3")).put(member("b", "3")).pass(A_WHILE);

    assertThat(gate.world.takeCalls()).contains("GET pod a");
    assertThat(gate.world.claim("of-a").reservedFor()).containsExactly("a-uid");
  }

  @Test
  void aPassGivesBackTheGrantsOfSomeMembersAtTheGate() {
    names(MANY).forEach(name -> gate.claims(granted(name, names(MANY).indexOf(name))));
    names(MANY).forEach(name -> gate.put(member(name, "wrong")));
    gate.gateLoop.runOnce();

    assertThat(podsRead()).isEqualTo(ReturnBudget.PODS);
  }

  @Test
  void aPassThatLeavesGrantsIsFollowedByAnother() throws ApiUnavailableException {
    ImmutableList<GatedPod> pods =
        names(MANY).stream()
            .map(name -> member(name, "40").facts())
            .collect(ImmutableList.toImmutableList());
    names(MANY).forEach(name -> gate.claims(granted(name, names(MANY).indexOf(name))));
    pods.forEach(gate.pods::put);
    GrantReturner returner = new GrantReturner(gate.world.cluster, gate.pods, () -> 0);

    assertThat(returner.giveBackAtGates(pods))
        .hasValue(ReconcileResult.firstAfter(ControllerDelays.GROUP_TURN));
    assertThat(returner.giveBackAtGates(pods)).isEmpty();
  }

  @Test
  void aPassGivesBackTheGrantsOfSomeMembersThatTheSchedulerRefuses() {
    names(MANY).forEach(name -> gate.claims(granted(name, names(MANY).indexOf(name))));
    names(MANY).forEach(name -> gate.put(member(name, "40").ungated().refused()));
    gate.run().pass(ControllerDelays.MISJUDGED);
    assertThat(podsRead()).isEqualTo(ReturnBudget.PODS);

    gate.pass(ControllerDelays.SETTLING);
    assertThat(podsRead()).isEqualTo(MANY - ReturnBudget.PODS);
    assertThat(gate.world.driver.holds).isEmpty();
  }

  @Test
  void aGroupThatLostAMemberLeavesTheLine() {
    gate.placer.answer = Optional.of(new GroupPlacing.TooFew(2));
    members("3", "a", "b", "c");
    gate.run();
    assertThat(gate.world.requeuer.waitQueue().waiting()).isEqualTo(1);

    gate.pods.remove("c");
    gate.run();
    assertThat(gate.world.requeuer.waitQueue().waiting()).isZero();
  }

  @Test
  void aGroupOfWhichTheListOfPodsIsTooLargeHoldsNothing() {
    gate.pods.tooLarge = true;
    membersAreUnknown("has more than 67108864 bytes");
    assertThat(gate.world.driver.holds).isEmpty();
  }

  private void membersAreUnknown(String list) {
    gate.claims(granted("a", 0), claim("of-b"));
    gate.put(member("a", "3")).put(member("b", "3")).pass(A_WHILE);

    assertThat(gate.world.cluster.warnings)
        .allSatisfy(warning -> assertThat(warning.reason()).isEqualTo("GroupUndecided"))
        .extracting(Warning::message)
        .containsOnly(
            "whether enough members are there is unknown: a list of all pods with the labels of"
                + " the group "
                + list);
  }

  @Test
  void aGroupOfWhichTheListOfPodsIsSlowKeepsItsGrants() {
    gate.pods.tooSlow = true;
    membersAreUnknown("takes longer than 20 s");
    assertThat(gate.world.claim("of-a").allocatedByUs()).isTrue();
  }

  @Test
  void aSlowListIsReadAgainAtThePaceOfLooks() {
    gate.pods.tooSlow = true;
    members("3", "a", "b");
    gate.pass(ControllerDelays.REGROUP.plus(ControllerDelays.GROUP_LOOK).plus(SOON));

    assertThat(gate.world.takeCalls())
        .containsExactly("LIST pods of group/g", "LIST pods of group/g");
  }

  @Test
  void eventsDoNotRepeatASearch() {
    gate.placer.answer = Optional.of(new GroupPlacing.Undecided(2));
    members("3", "a", "b", "c");
    gate.run();
    gate.put(member("a", "3")).run();
    assertThat(gate.placer.searches).hasSize(1);

    gate.pass(SOON);
    assertThat(gate.placer.searches).hasSize(2);
  }

  @Test
  void eventsDoNotReadTheClaimsOfAGroupThatWasRefused() {
    gate.placer.answer = Optional.of(new GroupPlacing.Undecided(2));
    members("3", "a", "b", "c");
    gate.run();
    gate.world.driver.calls.clear();
    gate.put(member("a", "3")).run();
    assertThat(gate.world.driver.calls).isEmpty();

    gate.pass(SOON);
    assertThat(gate.world.driver.calls).contains("parameters of-a");
  }

  @Test
  void aMemberWithoutClaimsIsNotCountedAmongThoseThatFit() {
    gate.placer.answer = Optional.of(new GroupPlacing.TooFew(1));
    gate.put(pod("launcher").inGroup("g", "3"));
    members("3", "a", "b");
    gate.run();

    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::message)
        .containsOnly("1 of 2 members fit at once: nothing is allocated before all do");
  }

  @Test
  void obstaclesAreToldOfSomeMembers() {
    members("40", names(MANY).toArray(String[]::new));
    names(MANY)
        .forEach(
            name -> gate.world.cluster.change(Some.ref("of-" + name), s -> s.ofClass("missing")));
    gate.pass(SOON);

    assertThat(gate.world.cluster.warnings.stream().map(Warning::subject).distinct())
        .filteredOn(Subject.OnPod.class::isInstance)
        .hasSize(GroupReports.MAX_MEMBERS);
  }

  private void blockedMembersWithContexts() {
    gate.claims(claim("of-a").ofClass("missing"), claim("of-b").ofClass("missing"));
    for (String name : ImmutableList.of("a", "b")) {
      gate.put(member(name, "3").ungated());
      gate.world.addPod(member(name, "3").facts().facts()).select(name, "n1");
    }
    gate.run();
  }

  @Test
  void anEventOfAnUngatedMemberWakesNoOtherContext() {
    blockedMembersWithContexts();
    long before = contextPasses();
    gate.put(member("a", "3").ungated()).run();

    assertThat(before).isPositive();
    assertThat(contextPasses()).isEqualTo(before);
  }

  @Test
  void aMemberThatComesAndGoesRequeuesTheContextsOfTheOthersSeldom() {
    blockedMembersWithContexts();
    long before = contextPasses();
    for (int i = 0; i < MANY; i++) {
      gate.put(member("c", "3")).run();
      gate.pods.remove("c");
      gate.run();
    }
    assertThat(contextPasses()).isEqualTo(before + 2);

    gate.pass(ControllerDelays.GROUP_LOOK);
    assertThat(contextPasses()).isEqualTo(before + 4);
  }

  private long contextPasses() {
    return gate.world.metrics.getMeters().entrySet().stream()
        .filter(meter -> meter.getKey().startsWith("loop.contexts."))
        .mapToLong(meter -> meter.getValue().getCount())
        .sum();
  }

  @Test
  void anEventOfAGroupReadsTheClaimsOfSomeMembersWithAContext() {
    for (String name : names(MANY)) {
      gate.claims(claim("of-" + name)).put(member(name, "40").ungated().refused());
      gate.world.select(name, "n1");
    }
    gate.gateLoop.runOnce();

    assertThat(gate.world.driver.calls).hasSizeLessThanOrEqualTo(GroupReports.MAX_MEMBERS);
  }

  @Test
  void aContextThatWasHeldBackIsServedWhenTheLastMemberAtTheGateGoes() {
    gate.claims(claim("of-a"), claim("of-b"));
    gate.put(member("a", "3").ungated()).put(member("b", "3"));
    gate.world.addPod(member("a", "3").facts().facts()).select("a", "n1").pass(SOON);
    assertThat(gate.world.claim("of-a").allocation()).isEmpty();

    gate.pods.remove("b");
    gate.run();
    assertThat(gate.world.claim("of-a").allocatedByUs()).isTrue();
  }

  @Test
  void aContextThatWasHeldBackDuringTheWritesForItsGroupIsServedAfterThem() {
    gate.world.cluster.beforeNext(
        "allocate",
        () -> {
          gate.claims(claim("of-late")).put(member("late", "3").ungated());
          gate.world.addPod(member("late", "3").facts().facts()).select("late", "n1");
          assertThat(gate.world.contextLoop.runOnce()).isTrue();
        });
    members("3", "a", "b", "c");
    gate.run();

    assertThat(gate.world.claim("of-late").allocatedByUs()).isTrue();
  }

  private void crowd(String size, int count) {
    names(count).forEach(name -> gate.put(pod(name).inGroup("g", size)));
    gate.run();
  }

  /** The looks at the pods of the group for events of one in half a second, and in a whole one. */
  private ImmutableList<Integer> looks(SomePod changed) {
    gate.pods.looks = 0;
    for (int i = 0; i < MANY / 4; i++) {
      gate.put(changed).pass(Duration.ofMillis(50));
    }
    int half = gate.pods.looks;
    gate.pass(SOON.dividedBy(2));
    return ImmutableList.of(half, gate.pods.looks);
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong", "1000"})
  void eventsOfACrowdedGroupCostOnePassASecond(String size) {
    crowd(size, CROWD);
    assertThat(looks(pod("p0").inGroup("g", size))).containsExactly(0, 1);
  }

  @Test
  void aGroupOf64IsLookedAtWithEachEvent() {
    crowd("wrong", CROWD - 1);
    assertThat(looks(pod("p0").inGroup("g", "wrong"))).containsExactly(MANY / 4, MANY / 4);
  }

  @Test
  void podsOfACrowdThatAreDeletedAreLookedAtOnceASecond() {
    names(CROWD).forEach(name -> gate.put(pod(name).inGroup("g", "wrong").deleting()));
    gate.run();
    assertThat(looks(pod("p0").inGroup("g", "wrong").deleting())).containsExactly(0, 1);
  }

  @Test
  void aCrowdedGroupThatIsCompleteByNowStartsWithinASecond() {
    crowd("66", CROWD);
    gate.pass(A_WHILE);
    gate.claims(claim("of-last")).put(member("last", "66")).run();
    gate.pass(SOON);

    assertThat(gate.pods.isGated("last")).isFalse();
  }

  @Test
  void aCrowdedGroupTakesItsTurnWithoutAPause() {
    gate.placer.answer = Optional.of(new GroupPlacing.Busy(1));
    gate.claims(claim("of-last")).put(member("last", "66"));
    crowd("66", CROWD);
    gate.placer.answer = Optional.empty();
    gate.pass(ControllerDelays.GROUP_TURN);

    assertThat(gate.pods.isGated("last")).isFalse();
  }

  @Test
  void aCrowdThatIsGoneIsForgotten() {
    crowd("wrong", CROWD);
    assertThat(gate.remembered()).containsEntry("groupPauses", 1);

    names(CROWD).forEach(gate.pods::remove);
    gate.pass(SOON);
    assertThat(gate.remembered()).doesNotContainKey("groupPauses");
  }

  @Test
  void aContextThatWasHeldBackDuringThePauseOfACrowdIsServedAfterIt() {
    names(CROWD).forEach(name -> gate.pods.put(member(name, "66").ungated().facts()));
    gate.claims(claim("of-p0")).run();
    gate.put(member("late", "66"));
    gate.world.addPod(member("p0", "66").facts().facts()).select("p0", "n1").run();
    assertThat(gate.world.claim("of-p0").allocation()).isEmpty();

    gate.pods.remove("late");
    gate.pass(SOON);
    assertThat(gate.world.claim("of-p0").allocatedByUs()).isTrue();
  }
}
