package io.gpudra.controller.gate.group;

import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.group.GroupQuorum.GroupState;
import io.gpudra.controller.gate.testing.SomePod;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which members of a group start together. */
final class GroupQuorumTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static SomePod member(String name) {
    return pod(name).inGroup("g", "3");
  }

  private static MemberFacts other(String name, boolean bound, boolean deleting, Phase phase) {
    return new MemberFacts(
        World.podRef(name),
        Optional.of("job"),
        bound,
        deleting,
        phase,
        ImmutableSet.of(Some.ref("of-" + name)));
  }

  private static MemberFacts bound(String name) {
    return other(name, true, false, Phase.ALIVE);
  }

  private static MemberFacts ended(String name, Phase phase) {
    return other(name, true, false, phase);
  }

  private static GroupState state(ImmutableList<GatedPod> waiting, MemberFacts... all) {
    return GroupQuorum.of(waiting, Optional.of(ImmutableList.copyOf(all)));
  }

  private static ImmutableList<GatedPod> waiting(SomePod... pods) {
    return Arrays.stream(pods).map(SomePod::facts).collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> needed(GroupState state) {
    return ((GroupState.Ready) state)
        .needed().stream().map(pod -> pod.ref().name()).collect(ImmutableList.toImmutableList());
  }

  @Test
  void aWholeGroupAtTheGateNeedsNoLook() {
    GroupState state =
        GroupQuorum.of(waiting(member("a"), member("b"), member("c")), Optional.empty());

    assertThat(needed(state)).containsExactly("a", "b", "c");
  }

  @Test
  void whereMembersMayHaveANodeTheServerIsAsked() {
    assertThat(GroupQuorum.of(waiting(member("a"), member("b")), Optional.empty()))
        .isInstanceOf(GroupState.Unknown.class);
  }

  @Test
  void tooFewMembersAreIncomplete() {
    assertThat(state(waiting(member("a"), member("b"))))
        .isEqualTo(new GroupState.Incomplete(2, 3, 3));
  }

  @Test
  void membersWithANodeHaveTheirPlaces() {
    assertThat(needed(state(waiting(member("a")), bound("b"), bound("c")))).containsExactly("a");
    assertThat(state(waiting(member("a")), bound("b")))
        .isEqualTo(new GroupState.Incomplete(1, 2, 3));
  }

  @Test
  void membersWithoutTheGateHaveTheirPlaces() {
    assertThat(needed(state(waiting(member("a"), member("b").ungated()), bound("c"))))
        .containsExactly("a");
  }

  @Test
  void noMemberCountsTwice() {
    assertThat(state(waiting(member("a"), member("b").ungated()), bound("b"), bound("a")))
        .isEqualTo(new GroupState.Incomplete(1, 2, 3));
  }

  @Test
  void membersThatFailedOrAreBeingDeletedHaveNoPlace() {
    assertThat(
            state(
                waiting(member("a")),
                ended("b", Phase.FAILED),
                other("c", true, true, Phase.ALIVE)))
        .isEqualTo(new GroupState.Incomplete(1, 3, 3));
  }

  @Test
  void membersThatSucceededHaveTheirPlacesIfTheirJobRuns() {
    MemberFacts atGate = other("a", false, false, Phase.ALIVE);

    assertThat(
            needed(
                state(
                    waiting(member("a")),
                    atGate,
                    ended("b", Phase.SUCCEEDED),
                    ended("c", Phase.SUCCEEDED))))
        .containsExactly("a");
    assertThat(
            state(
                waiting(member("a")),
                new MemberFacts(
                    World.podRef("a"),
                    Optional.of("next"),
                    false,
                    false,
                    Phase.ALIVE,
                    ImmutableSet.of()),
                ended("b", Phase.SUCCEEDED),
                ended("c", Phase.SUCCEEDED)))
        .isInstanceOf(GroupState.Incomplete.class);
  }

  @Test
  void anotherGateHoldsItsPodAndWithItTheGroup() {
    assertThat(
            GroupQuorum.of(
                waiting(member("a"), member("b"), member("c").heldByOthers()), Optional.empty()))
        .isEqualTo(new GroupState.Incomplete(2, 3, 3));
  }

  @Test
  void moreMembersThanTheSizeStartInPortionsByRank() {
    ImmutableList<GatedPod> waiting =
        waiting(member("a"), member("b").priority(1), member("c"), member("d").priority(2));

    assertThat(needed(GroupQuorum.of(waiting, Optional.empty()))).containsExactly("d", "b", "a");
    assertThat(
            needed(
                GroupQuorum.of(
                    waiting(
                        member("a"),
                        member("b").ungated(),
                        member("c").ungated(),
                        member("d").ungated()),
                    Optional.empty())))
        .containsExactly("a");
  }

  @Test
  void oneMemberDoesNotLiftTheGroupAndANewOneIsNotOld() {
    GroupState.Ready ready =
        (GroupState.Ready)
            GroupQuorum.of(
                waiting(member("a").priority(9), member("b").since(HOUR), member("c")),
                Optional.empty());

    assertThat(ready.rank().priority()).isZero();
    assertThat(ready.rank().since())
        .isEqualTo(member("b").since(HOUR).facts().facts().rank().since());
    assertThat(ready.uid()).isEqualTo("b-uid");
  }

  @Test
  void theClaimsOfMembersThatStartedStay() {
    GroupState state =
        state(
            waiting(
                pod("a", "of-a").inGroup("g", "3"), pod("b", "of-b").inGroup("g", "3").ungated()),
            bound("c"),
            other("d", true, true, Phase.ALIVE),
            other("e", false, false, Phase.ALIVE),
            ended("f", Phase.SUCCEEDED),
            ended("h", Phase.FAILED));

    assertThat(((GroupState.Ready) state).staying())
        .containsExactlyInAnyOrder(Some.ref("of-b"), Some.ref("of-c"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "0", "-3", "1025", "three", "3.0", "99999999999"})
  void aSizeIsANumberFromTwoTo1024(String size) {
    GroupState state = GroupQuorum.of(waiting(pod("a").inGroup("g", size)), Optional.empty());

    assertThat(((GroupState.Invalid) state).problem())
        .isEqualTo(
            "the size of the group is \"%s\" on pod a: a number from 2 to 1024 is allowed"
                .formatted(size));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "1024"})
  void theSmallestAndTheLargestSizeAreAllowed(String size) {
    assertThat(GroupQuorum.of(waiting(pod("a").inGroup("g", size)), Optional.empty()))
        .isInstanceOf(GroupState.Unknown.class);
  }

  @Test
  void membersOfDifferentSizesAreNoGroup() {
    GroupState state =
        GroupQuorum.of(waiting(member("a"), pod("b").inGroup("g", "4")), Optional.empty());

    assertThat(((GroupState.Invalid) state).problem())
        .isEqualTo("the size of the group is 3 on pod a, and 4 on pod b");
  }

  @Test
  void labelsThatNameTwoGroupsAreNoGroup() {
    GroupLabel disputed = new GroupLabel(GroupLabel.Kind.OWN, "g", "3", true);
    GroupState state = GroupQuorum.of(waiting(pod("a").inGroup(disputed)), Optional.empty());

    assertThat(((GroupState.Invalid) state).problem())
        .isEqualTo("the labels of pod a name two groups, or two sizes");
    assertThat(GroupQuorum.isValid(disputed)).isFalse();
  }
}
