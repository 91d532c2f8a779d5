package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which pods get nothing, which claims of a pod are looked at, and all or none of them. */
final class PodPathTest {
  private final World world = World.of("worker", 8);

  private record Row(String name, List<String> calls, Consumer<World> given) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> podsThatGetNothing() {
    List<String> onlyThePod = List.of("GET pod pod");
    return Stream.of(
        new Row(
            "P1 the context is deleted",
            List.of(),
            w -> living(w).cluster.put(context(World.podRef("pod"), /* deleting= */ true))),
        new Row("P3 the pod is gone", onlyThePod, w -> w.select("pod", "worker")),
        new Row(
            "P4 the pod is deleted",
            onlyThePod,
            w -> w.addPod(pod(/* deleting= */ true, false)).select("pod", "worker")),
        new Row(
            "P5 the context is of a former pod",
            onlyThePod,
            w -> living(w).cluster.put(context(new PodRef(Some.NS, "pod", "former"), false))),
        new Row(
            "H26 the pod has finished",
            onlyThePod,
            w -> w.addPod(pod(false, /* terminal= */ true)).select("pod", "worker")));
  }

  private static World living(World world) {
    return world.addPod("pod", World.direct("c"));
  }

  private static PodFacts pod(boolean deleting, boolean terminal) {
    return new PodFacts(
        World.podRef("pod"), deleting, terminal, ImmutableList.of(World.direct("c")));
  }

  private static ContextFacts context(PodRef pod, boolean deleting) {
    return new ContextFacts(
        pod,
        "pod-context",
        "5",
        Some.EPOCH,
        deleting,
        Optional.of("worker"),
        ImmutableSet.of("worker"),
        ImmutableMap.of());
  }

  @ParameterizedTest
  @MethodSource("podsThatGetNothing")
  void aPodThatCannotRunGetsNothingAndNobodyIsTold(Row row) {
    world.addClaim(claim("c"));
    row.given().accept(world);
    world.pass(Duration.ofMinutes(2));
    assertThat(world.takeCalls()).isEqualTo(row.calls());
    assertThat(world.claim("c").hasFinalizer()).isFalse();
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void aPodThatIsHeldBackGetsNothingAndIsLookedAtAgain() {
    world.addClaim(claim("c")).heldBack = pod -> pod.ref().name().equals("pod");
    living(world).select("pod", "worker").run();
    assertThat(world.driver.calls).noneMatch(call -> call.startsWith("allocate"));
    assertThat(world.claim("c").hasFinalizer()).isFalse();
    assertThat(world.requeuer.isWanted(Some.ref("c"))).isTrue();
    world.heldBack = pod -> false;
    world.pass(Duration.ofSeconds(31));

    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void aPodBeyondALimitWaitsAndNothingIsPublished() {
    world.driver.limited = Optional.of(limited());
    world.addClaim(claim("c"));
    living(world).select("pod", "worker").run();
    assertThat(world.takeCalls()).containsExactly("GET pod pod");
    world.driver.limited = Optional.empty();
    world.pass(Duration.ofSeconds(34));

    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void anImmediateClaimBeyondALimitWaits() {
    world.driver.limited = Optional.of(limited());
    world.addClaim(claim("c").immediate()).run();
    assertThat(world.takeCalls()).isEmpty();
    world.driver.limited = Optional.empty();
    world.pass(Duration.ofSeconds(34));

    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  private static Allocation limited() {
    return new Allocation.Limited(
        StatedReason.of(UnsuitableReason.Kind.QUOTA_EXCEEDED), ImmutableSet.of("quota"));
  }

  @Test
  void aFinishedPodReservedAndUnreservedAllTheTimeCostsOneRead() {
    world.addClaim(claim("c").withFinalizer(true).byUs("worker#0", "worker"));
    world.addPod(pod(false, /* terminal= */ true)).select("pod", "worker").run();
    for (int i = 0; i < 40; i++) {
      boolean reserved = i % 2 == 0;
      world.cluster.change(
          Some.ref("c"), s -> reserved ? s.reservedFor("pod-uid") : s.reservedFor());
      world.pass(Duration.ofMillis(50));
    }
    assertThat(world.takeCalls()).containsExactly("GET pod pod");
    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void aNodeThatOneClaimCannotHaveIsAllocatedForNone() {
    world.driver.unsuitableFor.put("b", ImmutableSet.of("worker"));
    world.addClaim(claim("a")).addClaim(claim("b"));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    world.select("pod", "worker").run();
    assertThat(world.driver.calls).noneMatch(call -> call.startsWith("allocate"));
    assertThat(world.claim("a").hasFinalizer()).isFalse();
    assertThat(world.entries("pod"))
        .isEqualTo(ImmutableMap.of("my-a", ImmutableSet.of(), "my-b", ImmutableSet.of("worker")));
  }

  @Test
  void anAllocatedClaimIsNeitherJudgedNorAreItsClassAndParametersReadAgain() {
    world.addClaim(
        claim("a")
            .ofClass("deleted-since")
            .withFinalizer(true)
            .byUs("worker#7", "worker")
            .reservedFor("pod-uid"));
    world.addClaim(claim("b")).addPod("pod", World.direct("a"), World.direct("b"));
    world.select("pod", "worker").run();
    assertThat(world.driver.calls)
        .containsExactly("parameters b", "suitability [b] [worker]", "allocate [b] worker");
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void whileOneClaimOfAPodIsMissingNoneIsAllocated() {
    world.addClaim(claim("a")).addPod("pod", World.direct("a"), World.direct("later"));
    world.select("pod", "worker").pass(Duration.ofMinutes(1));
    assertThat(world.claim("a").hasFinalizer()).isFalse();
    assertThat(world.cluster.warnings).isEmpty();
    world.addClaim(claim("later")).run();
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.claim("later").allocatedByUs()).isTrue();
  }

  @Test
  void twoPendingClaimsThatFitEverywhereEachGetTheirEmptyEntry() {
    world.addClaim(claim("a")).addClaim(claim("b"));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    world.addContext("pod", Optional.empty(), "worker").run();
    assertThat(world.entries("pod"))
        .isEqualTo(ImmutableMap.of("my-a", ImmutableSet.of(), "my-b", ImmutableSet.of()));
  }

  @Test
  void aPodWithMoreClaimsThanAnyNodeServesIsNeitherJudgedNorAnsweredAndItIsTold() {
    addCrowd("crowd", 300);
    world.select("crowd", "worker").pass(Duration.ofMinutes(1));

    assertThat(world.driver.calls).noneMatch(call -> call.startsWith("suitability"));
    assertThat(world.takeCalls()).containsExactly("GET pod crowd");
    assertThat(world.cluster.warnings)
        .extracting("subject", "reason", "message")
        .contains(
            tuple(
                new Subject.OnPod(World.podRef("crowd")),
                "NoMatchingDevice",
                "claim default/c100: the pod has 300 entries for claims that wait for this driver;"
                    + " at most 64 can be served together"));
  }

  @Test
  void aPodWithAsManyClaimsAsANodeCanServeIsJudged() {
    addCrowd("crowd", 64);
    world.select("crowd", "worker").run();

    assertThat(world.driver.calls).anyMatch(call -> call.startsWith("suitability"));
    assertThat(world.entries("crowd")).hasSize(64);
  }

  private void addCrowd(String pod, int claims) {
    PodFacts.PodClaim[] entries = new PodFacts.PodClaim[claims];
    for (int i = 0; i < claims; i++) {
      String name = "c" + (100 + i);
      world.addClaim(claim(name));
      entries[i] = World.direct(name);
    }
    world.addPod(pod, entries);
  }

  @Test
  void aConflictWithOurOwnGrantIsAGrant() {
    world.addClaim(claim("c"));
    world.cluster.failNextAfterTheEffect("allocate", Kind.CONFLICT);
    living(world).select("pod", "worker").run();

    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.driver.holds).hasSize(1);
    assertThat(world.driver.calls).noneMatch(call -> call.startsWith("release"));
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void aConflictWithTheGrantOfAnotherGivesOurDevicesBack() {
    world.addClaim(claim("c"));
    world.cluster.beforeNext(
        "allocate",
        () -> world.cluster.change(Some.ref("c"), s -> s.byUs("elsewhere#0", "elsewhere")));
    living(world).select("pod", "worker").run();

    assertThat(world.driver.calls).contains("release " + world.claim("c").uid());
    assertThat(world.cluster.warnings).extracting("reason").contains("AllocationFailed");
  }

  @ParameterizedTest
  @EnumSource
  void aDriverThatBreaksAfterItHeldLeavesNothingHeld(FakeDriver.Defect defect) {
    world.addClaim(claim("c"));
    world.driver.defect = Optional.of(defect);
    world.mayFail = true;
    living(world).select("pod", "worker").run();

    assertThat(world.driver.calls).anyMatch(call -> call.startsWith("allocate"));
    assertThat(world.driver.holds).isEmpty();
    world.driver.defect = Optional.empty();
    world.pass(Duration.ofSeconds(5));
    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void wrongParametersAreToldOnTheClaimAndByTheClaimsNameOnThePod() {
    world.driver.parameters.put(
        "c",
        DriverParameters.refused(
            UnsuitableReason.Kind.INVALID_PARAMETERS, ImmutableList.of("spec.count: 0")));
    world.addClaim(claim("c"));
    living(world).select("pod", "worker").run();
    assertThat(world.cluster.warnings)
        .extracting("subject", "reason", "message")
        .containsExactly(
            tuple(
                new Subject.OnClaim(Some.ref("c"), world.claim("c").uid()),
                "InvalidParameters",
                "spec.count: 0"),
            tuple(
                new Subject.OnPod(World.podRef("pod")),
                "InvalidParameters",
                "claim default/c: spec.count: 0"));
    assertThat(world.claim("c").hasFinalizer()).isFalse();
  }

  @Test
  void whatTheSchedulerAllocatesIsUntouchedInBothModes() {
    world.cluster.addClass("structured", Some.DRIVER, /* structured= */ true);
    world.addClaim(claim("c").ofClass("structured"));
    world.addClaim(claim("now").ofClass("structured").immediate());
    world.addClaim(
        claim("finalizer")
            .withBuiltinFinalizer()
            .withFinalizer(true)
            .byUs("worker#0", "worker")
            .requested(true));
    living(world).select("pod", "worker").pass(Duration.ofMinutes(1));
    assertThat(world.takeCalls()).containsExactly("GET pod pod");
    assertThat(world.driver.calls).isEmpty();
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void aClaimThatIsWrongInThisPodIsToldSoAndNothingIsAllocated() {
    world.addClaim(claim("a")).addClaim(claim("b"));
    world.driver.problems =
        ImmutableMap.of(
            world.claim("a").uid(), ImmutableList.of("spec.insideClaim: no such entry"));
    world.addPod("pod", World.direct("a"), World.direct("b")).select("pod", "worker").run();
    assertThat(world.claim("a").allocatedByUs()).isFalse();
    assertThat(world.claim("b").allocatedByUs()).isFalse();
    assertThat(world.cluster.warnings.toString())
        .contains("InvalidParameters")
        .contains("spec.insideClaim: no such entry");
  }
}
