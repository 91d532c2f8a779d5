package io.gpudra.controller.dra.scheduling;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.scheduling.SchedulingFacts.Entry;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SchedulingRulesTest {
  private static final ClassFacts CLASS =
      new ClassFacts("mock-class", Some.DRIVER, false, Optional.empty(), Optional.empty());

  private record Row(
      String name, Entry<String> entry, boolean ours, Optional<Kind> obstacle, boolean pins) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Row row(String name, Entry<String> entry, boolean ours, Kind... obstacle) {
    return new Row(name, entry, ours, Stream.of(obstacle).findFirst(), false);
  }

  private static Entry<String> refused(Kind kind) {
    return withParameters(DriverParameters.refused(kind, ImmutableList.of("no")));
  }

  static Stream<Row> entries() {
    return Stream.of(
        row("ours, waiting", entry("a", claim("c")), true),
        row("no claim needed", unresolved(new Resolution.None()), false),
        row("K1 not generated yet", unresolved(new Resolution.NotYet()), false, Kind.NOT_YET),
        row("H9 claim missing", missing(), false, Kind.MISSING),
        row("K4 generated for another", owned(claim("c").owner("x")), false, Kind.NOT_OWNED),
        row("K4 generated for this pod", owned(claim("c").owner("pod-uid")), true),
        row("H3 deleting", entry("a", claim("c").deleting()), false, Kind.ENDING),
        row("H3 asked for", entry("a", claim("c").requested(true)), false, Kind.ENDING),
        row("K5 Immediate", entry("a", claim("c").immediate()), false),
        row("K6 allocated", entry("a", claim("c").byOther()), false),
        row("built-in finalizer", entry("a", claim("c").withBuiltinFinalizer()), false),
        row("K7 class missing", ofClass(ClassState.ABSENT), false, Kind.CLASS_NOT_FOUND),
        row("K8 another driver's class", ofClass(ClassState.OTHER), false),
        row("H1 structured class", ofClass(ClassState.STRUCTURED), false),
        row(
            "K9 parameters missing",
            refused(Kind.PARAMETERS_NOT_FOUND),
            false,
            Kind.PARAMETERS_NOT_FOUND),
        row("K9 over the class's limit", refused(Kind.CLASS_LIMIT), false, Kind.CLASS_LIMIT),
        row(
            "K9 parameters invalid",
            refused(Kind.INVALID_PARAMETERS),
            false,
            Kind.INVALID_PARAMETERS),
        new Row(
            "Immediate and allocated: pins",
            entry("a", claim("c").immediate().byUs("d", "worker")),
            false,
            Optional.empty(),
            true));
  }

  @ParameterizedTest
  @MethodSource("entries")
  void eachEntryOfAPodIsOursOrInTheWayOrNeither(Row row) {
    PendingPod<String> pending = pending(row.entry());
    assertThat(pending.claims().isEmpty()).isEqualTo(!row.ours());
    assertThat(
            pending.blockers().stream().map(podBlocker -> podBlocker.reason().kind()).findFirst())
        .isEqualTo(row.obstacle());
    assertThat(pending.pinning().isEmpty()).isEqualTo(!row.pins());
    assertThat(pending.several()).isFalse();
  }

  @Test
  void twoEntriesForOneClaimAreOneClaimWithBothNames() {
    PendingPod<String> pending = pending(entry("a", claim("c")), entry("b", claim("c")));
    assertThat(pending.claims()).hasSize(1);
    assertThat(pending.claims().get(0).podClaims()).containsExactly("a", "b");
    assertThat(pending.several()).isTrue();
  }

  @Test
  void anotherDriversPendingClaimMakesSeveral() {
    assertThat(pending(entry("a", claim("c")), ofClass(ClassState.OTHER)).several()).isTrue();
    assertThat(pending(entry("a", claim("c")), entry("b", claim("d").byOther())).several())
        .isFalse();
  }

  @Test
  void aMissingClassBlocksTheAllocationButNotTheOthersEntries() {
    PendingPod<String> pending = pending(entry("a", claim("c")), ofClass(ClassState.ABSENT));
    assertThat(pending.claims()).hasSize(1);
    assertThat(pending.mayAllocate()).isFalse();
    assertThat(pending.podNotReady()).isFalse();
    assertThat(pending(entry("a", claim("c")), missing()).podNotReady()).isTrue();
  }

  @Test
  void judgesPotentialSelectedAndPublishedNodesButNoMoreThan257() {
    ImmutableSet<String> potential = nodes("p", 128);
    ContextFacts context =
        context(
            Optional.of("s"),
            potential,
            ImmutableMap.of("a", nodes("x", 128), "b", nodes("y", 128), "foreign", nodes("z", 1)));
    ImmutableSet<String> judged =
        SchedulingRules.nodesToEvaluate(
            context, pending(entry("a", claim("c")), entry("b", claim("d"))));
    assertThat(judged).hasSize(257).containsAll(potential).contains("s").doesNotContain("z-0");
    ContextFacts onlySelected = context(Optional.of("s"), ImmutableSet.of(), ImmutableMap.of());
    assertThat(SchedulingRules.nodesToEvaluate(onlySelected, pending(entry("a", claim("c")))))
        .as("nobody chooses: line 17 of testing.md 3")
        .isEmpty();
  }

  @Test
  void anEntryThatSaysTheSameInAnotherOrderIsNoNews() {
    ContextFacts there = published(ImmutableSet.of("x", "y"));
    assertThat(patch(there, ImmutableSet.of("y", "x"), false)).isEmpty();
    assertThat(patch(there, ImmutableSet.of("y"), false)).isPresent();
  }

  @Test
  void listsAreCappedWithTheSelectedNodeFirstAndComparedAfterwards() {
    ImmutableSet<String> potential = nodes("p", 128);
    ContextFacts context = context(Optional.of("s"), potential, ImmutableMap.of());
    ImmutableSet<String> all =
        ImmutableSet.<String>builder().addAll(nodes("old", 9)).addAll(potential).add("s").build();
    ImmutableList<String> named =
        patch(context, all, false).orElseThrow().unsuitableNodes().values().asList().get(0);
    assertThat(named).hasSize(128).doesNotHaveDuplicates().startsWith("s").doesNotContain("old-1");
    ContextFacts there =
        context(Optional.of("s"), potential, ImmutableMap.of("a", ImmutableSet.copyOf(named)));
    assertThat(patch(there, all, false)).as("H7").isEmpty();
  }

  @Test
  void anEmptyEntryIsWrittenOnlyWhenTheSchedulerWaitsForSeveral() {
    ContextFacts nothing = context(Optional.empty(), ImmutableSet.of("x"), ImmutableMap.of());
    assertThat(patch(nothing, ImmutableSet.of(), false)).isEmpty();
    assertThat(patch(nothing, ImmutableSet.of(), true)).isPresent();
    assertThat(patch(published(ImmutableSet.of()), ImmutableSet.of(), true)).isEmpty();
    assertThat(patch(published(ImmutableSet.of("x")), ImmutableSet.of(), false)).isPresent();
  }

  @Test
  void aRefusedCommitNamesTheSelectedNodeForEveryClaim() {
    PendingPod<String> pending = pending(entry("a", claim("c")), entry("b", claim("d")));
    assertThat(
            SchedulingRules.unsuitable(
                pending, new NodeSuitability(ImmutableMap.of()), Optional.of("s")))
        .isEqualTo(ImmutableMap.of("a", ImmutableSet.of("s"), "b", ImmutableSet.of("s")));
  }

  private static Optional<StatusPatch> patch(
      ContextFacts context, ImmutableSet<String> nodes, boolean several) {
    return SchedulingRules.patch(context, ImmutableMap.of("a", nodes), several);
  }

  private static ContextFacts published(ImmutableSet<String> nodes) {
    return context(Optional.empty(), ImmutableSet.of("x", "y"), ImmutableMap.of("a", nodes));
  }

  private static ContextFacts context(
      Optional<String> selected,
      ImmutableSet<String> potential,
      ImmutableMap<String, ImmutableSet<String>> entries) {
    return new ContextFacts(
        World.podRef("pod"), "uid", "1", Some.EPOCH, false, selected, potential, entries);
  }

  private static ImmutableSet<String> nodes(String prefix, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> prefix + "-" + i)
        .collect(ImmutableSet.toImmutableSet());
  }

  private static PendingPod<String> pending(Entry<String> entry) {
    return pending(ImmutableList.of(entry));
  }

  private static PendingPod<String> pending(Entry<String> one, Entry<String> other) {
    return pending(ImmutableList.of(one, other));
  }

  private static PendingPod<String> pending(ImmutableList<Entry<String>> entries) {
    return SchedulingRules.pending(
        new SchedulingFacts<>(World.podRef("pod"), WaitRank.LAST, entries, ImmutableList.of()));
  }

  private static Entry<String> entry(String name, Some claim) {
    return entry(name, claim, ClassState.OURS, Optional.of(new DriverParameters.Ready<>("one")));
  }

  private static Entry<String> entry(
      String name, Some claim, ClassState state, Optional<DriverParameters<String>> parameters) {
    ClaimFacts facts = claim.facts();
    boolean asked =
        SchedulingRules.waitsForPod(facts) && !facts.ending() && state == ClassState.OURS;
    return new Entry<>(
        new PodClaim(name, new Resolution.ResolvedTo(facts.ref(), false)),
        Optional.of(facts),
        Optional.of(CLASS),
        state,
        asked ? parameters : Optional.empty());
  }

  private static Entry<String> ofClass(ClassState state) {
    return entry("z", claim("z"), state, Optional.empty());
  }

  private static Entry<String> withParameters(DriverParameters<String> parameters) {
    return entry("a", claim("c"), ClassState.OURS, Optional.of(parameters));
  }

  private static Entry<String> unresolved(Resolution resolution) {
    return new Entry<>(
        new PodClaim("a", resolution),
        Optional.empty(),
        Optional.empty(),
        ClassState.ABSENT,
        Optional.empty());
  }

  private static Entry<String> missing() {
    return unresolved(new Resolution.ResolvedTo(Some.ref("c"), false));
  }

  private static Entry<String> owned(Some claim) {
    ClaimFacts facts = claim.facts();
    Entry<String> direct = entry("a", claim);
    boolean mine = facts.ownerUid().equals(Optional.of("pod-uid"));
    return new Entry<>(
        new PodClaim("a", new Resolution.ResolvedTo(facts.ref(), true)),
        direct.claim(),
        direct.resourceClass(),
        direct.classState(),
        mine ? direct.parameters() : Optional.empty());
  }
}
