package io.gpudra.controller.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is asked to leave, when and how often. */
class EvictorTest extends EvictionScene {

  @Test
  void onePodARoundIsAskedToLeaveAndEachOnce() {
    tainted("a", "b", "c");
    rounds(1);
    assertThat(asked).hasSize(1);
    rounds(100);
    assertThat(asked).containsExactlyInAnyOrder("on-a", "on-b", "on-c");
    assertThat(counted).containsOnly(Answer.EVICTED).hasSize(3);
    assertThat(warnings)
        .extracting(Warning::reason, Warning::message)
        .containsOnly(tuple("Evicted", "gpu-0: fell off the bus"))
        .hasSize(6);
  }

  private static Part.Slice slice(int start) {
    return new Part.Slice("1g.2gb", start, 1, 1, Optional.empty());
  }

  private static GrantedPart part(Part.Slice slice, boolean existing) {
    GrantedPart part = GrantFixture.part("GPU-of-a", slice);
    return existing ? GrantFixture.existing(part) : part;
  }

  private static MigState.Device device(int start, String claim, boolean foreign) {
    return new MigState.Device(
        "MIG-" + start,
        slice(start),
        Optional.of(claim).filter(uid -> !uid.isEmpty()).map(ClaimUid::new),
        foreign);
  }

  /** The second of them is not well. */
  private void cut(MigState.Device well, MigState.Device ill) {
    MigState mig =
        GpuModels.enabled(
            well, ill.with(ImmutableList.of(taint(Effect.NO_EXECUTE, Optional.empty()))));
    observe("a", SERVING, mig);
  }

  @Test
  void onlyTheUsersOfAMigDeviceLeaveIt() {
    use("a", "neighbour", part(slice(0), false));
    use("a", "made", part(slice(1), false));
    cut(device(0, "neighbour", false), device(1, "made", false));
    rounds(10);
    assertThat(asked).containsExactly("made");
    assertThat(warnings)
        .extracting(Warning::message)
        .containsOnly("gpu-0-mig-1g.2gb-1: fell off the bus");
  }

  @Test
  void theUsersOfAMigDeviceThatWasThereLeaveItToo() {
    use("a", "neighbour", part(slice(0), true));
    use("a", "there", part(slice(1), true));
    cut(device(0, "", false), device(1, "", false));
    rounds(10);
    assertThat(asked).containsExactly("there");
  }

  @Test
  void computeInstancesOfOneGpuInstanceAreLeftByThoseWhoHaveThem() {
    Part.Slice outer = slice(1);
    use("a", "outer", part(outer, false));
    use("a", "one", part(outer.with(Optional.of(new Part.Instance(0, 1))), false));
    use("a", "other", part(outer.with(Optional.of(new Part.Instance(1, 1))), false));
    cut(device(1, "one", false), device(1, "other", false));
    rounds(10);
    assertThat(asked).containsExactly("other");
  }

  @Test
  void whatSomebodyMadeOfAGpuIsOfWhomHasAllOfIt() {
    use("a", "part", part(slice(1), false));
    cut(device(0, "part", false), device(1, "", true));
    rounds(10);
    assertThat(asked).isEmpty();
    use("a", "all");
    rounds(10);
    assertThat(asked).containsExactly("all");
  }

  @Test
  void whomABudgetKeepsIsAskedAgainAndHoldsUpNobody() {
    tainted("a", "b", "c");
    answers.put("on-a", Answer.BLOCKED);
    answers.put("on-b", Answer.FAILED);
    rounds(5);
    assertThat(asked).containsExactlyInAnyOrder("on-a", "on-b", "on-c");
    rounds(30);
    assertThat(asked).filteredOn("on-a"::equals).hasSizeBetween(3, 4);
    assertThat(asked).filteredOn("on-b"::equals).hasSize(1);
    answers.clear();
    rounds(100);
    assertThat(asked).filteredOn("on-b"::equals).hasSize(2);
    assertThat(counted).filteredOn(Answer.EVICTED::equals).hasSize(3);
    assertThat(warnings).hasSize(6);
  }

  @Test
  void whatIsToleratedIsNotReadEachSecond() {
    tolerations = Optional.of(ImmutableList.of(minute("xid")));
    tainted("a");
    rounds(59);
    assertThat(read).isEqualTo(6);
  }

  @Test
  void nobodyLeavesBecauseOfWhatWasToleratedBeforeAlsoWhereTheClockIsSetBack() {
    tolerations = Optional.of(ImmutableList.of(minute("xid")));
    observe("a", SERVING, taint(Effect.NO_EXECUTE, Optional.of(now.minusSeconds(5))));
    use("a", "on-a");
    rounds(55);
    tolerations = Optional.of(ImmutableList.of(toleration("xid", Optional.empty())));
    rounds(1);
    now = now.minusSeconds(50);
    tolerations = Optional.empty();
    rounds(30);
    assertThat(asked).isEmpty();
    tolerations = Optional.of(ImmutableList.of());
    rounds(11);
    assertThat(asked).containsExactly("on-a");
  }

  @Test
  void editsOfOtherTolerationsDelayNoEviction() {
    tainted("a");
    edits = true;
    rounds(1);
    assertThat(asked).containsExactly("on-a");
  }

  private void staying(int count, Answer answer) {
    for (int i = 0; i < count; i++) {
      tainted("staying-" + i);
      answers.put("on-staying-" + i, answer);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "FAILED"})
  void aPodThatStaysTakesNobodysTurn(Answer answer) {
    staying(3, answer);
    leads = false;
    rounds(1);
    leads = true;
    tainted("later");
    rounds(1);
    assertThat(asked).hasSize(4).endsWith("on-later");
    tainted("b", "c");
    rounds(1);
    assertThat(asked).hasSize(5);
  }

  @Test
  void howManyBudgetsThereMayBeARoundAsksFewPods() {
    staying(25, Answer.BLOCKED);
    rounds(1);
    assertThat(asked).hasSize(Evictor.MAX_ASKED);
    rounds(2);
    assertThat(asked).doesNotHaveDuplicates().hasSize(25);
  }

  @Test
  void whoLosesTheLeaseInARoundAsksNobodyElse() {
    staying(3, Answer.BLOCKED);
    deposed = true;
    rounds(1);
    assertThat(asked).hasSize(1);
  }

  @Test
  void aStandbyAsksNobodyAndKnowsSinceWhen() {
    tainted("a");
    leads = false;
    rounds(59);
    assertThat(asked).isEmpty();
    tolerations = Optional.of(ImmutableList.of(minute("xid")));
    leads = true;
    rounds(1);
    assertThat(asked).isEmpty();
    rounds(1);
    assertThat(asked).containsExactly("on-a");
  }

  @Test
  void aSilentPluginEvictsNobodyAndWhoWasEvictedIsRemembered() {
    tainted("a");
    observe("a", new Service.Stale(now), taint(Effect.NO_EXECUTE, Optional.empty()));
    rounds(10);
    assertThat(asked).isEmpty();
    tainted("a");
    rounds(10);
    observe("a", new Service.Stale(now), taint(Effect.NO_EXECUTE, Optional.empty()));
    rounds(1);
    tainted("a");
    rounds(10);
    assertThat(asked).containsExactly("on-a");
  }

  @Test
  void otherTaintsAndOthersGpusAndUnknownTolerationsEvictNobody() {
    observe("a", SERVING, taint(Effect.NO_SCHEDULE, Optional.empty()));
    use("a", "on-a");
    observe("b", SERVING, taint(Effect.NO_EXECUTE, Optional.empty()));
    observe("c", SERVING);
    use("c", "on-c");
    rounds(5);
    assertThat(asked).isEmpty();
    tolerations = Optional.empty();
    tainted("a");
    rounds(5);
    assertThat(asked).isEmpty();
  }

  @Test
  void theTimeThatATaintSaysCountsUnlessItIsStillToCome() {
    tolerations = Optional.of(ImmutableList.of(minute("")));
    observe("a", SERVING, taint(Effect.NO_EXECUTE, Optional.of(now.minusSeconds(60))));
    use("a", "on-a");
    observe("b", SERVING, taint(Effect.NO_EXECUTE, Optional.of(now.plusSeconds(3600))));
    use("b", "on-b");
    rounds(1);
    assertThat(asked).containsExactly("on-a");
    rounds(59);
    assertThat(asked).hasSize(1);
    rounds(1);
    assertThat(asked).containsExactly("on-a", "on-b");
  }
}
