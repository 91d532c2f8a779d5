package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pod that waits for too long goes to the scheduler, so that people and autoscalers see it. */
final class PatienceTest {
  private static final Duration STEP = Duration.ofMillis(50);

  private final GateWorld gate = GateWorld.of("worker", 1);

  static Stream<SomePod> podsThatWait() {
    return Stream.of(
        pod("p", "missing"),
        pod("p", "unfit", "fit"),
        pod("p", "no-class"),
        pod("p").entries(SomePod.notYet()),
        pod("p", "there", "fit"));
  }

  private GateWorld given(SomePod pod) {
    return gate.claims(
            claim("fit"),
            claim("unfit"),
            claim("no-class").ofClass("missing"),
            claim("there").withFinalizer(true).byUs("worker#0", "worker").reservedFor("q"))
        .put(pod);
  }

  @ParameterizedTest
  @MethodSource("podsThatWait")
  void afterItsPatienceAPodLosesItsGate(SomePod pod) {
    given(pod).pass(GateWorld.PATIENCE.minus(STEP));
    assertThat(gate.pods.isGated("p")).isTrue();
    gate.pass(STEP.multipliedBy(2));

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.outcomes).containsExactly("patience");
    assertThat(gate.notes).extracting(Warning::reason).containsExactly("GateLifted");
  }

  @Test
  void patienceStartsWithTheFirstLookOfALeader() throws Exception {
    given(pod("p", "missing")).pass(GateWorld.PATIENCE.minus(STEP));
    gate.restart();
    gate.pass(GateWorld.PATIENCE.minus(STEP));
    assertThat(gate.pods.isGated("p")).isTrue();
    gate.pass(STEP.multipliedBy(2));

    assertThat(gate.pods.isGated("p")).isFalse();
  }

  @Test
  void aPodOfTheSameNameHasAPatienceOfItsOwn() {
    given(pod("p", "missing")).pass(GateWorld.PATIENCE.minus(STEP));
    gate.put(pod("p", "missing").uid("p-uid-2")).pass(STEP.multipliedBy(2));

    assertThat(gate.pods.isGated("p")).isTrue();
  }

  @Test
  void theSearchesOfOtherPodsTakeNothingOfItsPatience() {
    GateWorld many = pods("p1", "p2", "p3", "p4");
    inSearches(
        many,
        SearchTurns.MAX_WORKERS,
        () -> {
          assertThat(many.gateLoop.runOnce()).isTrue();
          many.world.elapse(GateWorld.PATIENCE);
          many.gateLoop.runNow(new ObjectKey("default", "pod/p4"));
          assertThat(many.pods.isGated("p4")).isTrue();
        });
    many.run();

    assertThat(many.outcomes).containsExactly("granted", "granted", "granted", "granted");
  }

  @Test
  void podsThatAreDeletedWhileTheyWaitForASearchHoldUpNoOther() {
    GateWorld many = pods("p1", "p2", "p3", "gone1", "gone2", "gone3", "p4");
    inSearches(
        many,
        SearchTurns.MAX_WORKERS,
        () -> {
          Stream.of(1, 2, 3, 4).forEach(i -> assertThat(many.gateLoop.runOnce()).isTrue());
          Stream.of("gone1", "gone2", "gone3").forEach(many.pods::remove);
        });
    many.run();

    assertThat(many.outcomes).containsExactly("granted", "granted", "granted", "granted");
  }

  private static GateWorld pods(String... names) {
    GateWorld world = GateWorld.of("worker", names.length);
    Stream.of(names)
        .forEach(name -> world.claims(claim("of-" + name)).put(pod(name, "of-" + name)));
    return world;
  }

  /** One search begins during another one. */
  private static void inSearches(GateWorld world, int depth, Runnable innermost) {
    if (depth == 0) {
      innermost.run();
      return;
    }
    world.world.driver.duringNextAllocation = () -> inSearches(world, depth - 1, innermost);
    assertThat(world.gateLoop.runOnce()).isTrue();
  }

  @Test
  void thousandsThatWaitEquallyLongAreLiftedOneAfterTheOtherInOrder() {
    AtomicLong now = new AtomicLong();
    PacedDeadlines deadlines =
        new PacedDeadlines(GateWorld.PATIENCE, ControllerDelays.GATE_LIFT_GAP, now::get);
    Stream<ObjectKey> units = Stream.iterate(0, i -> i + 1).limit(10_000).map(PatienceTest::unit);
    units.forEach(unit -> deadlines.left(unit, pod("p").facts().ref()));
    now.addAndGet(GateWorld.PATIENCE.toNanos());

    assertThat(Stream.iterate(0, i -> i + 1).limit(10_000))
        .allSatisfy(
            i ->
                assertThat(deadlines.left(unit(i), pod("p").facts().ref()))
                    .isEqualTo(ControllerDelays.GATE_LIFT_GAP.multipliedBy(i)));
  }

  @Test
  void aPlaceInTheRowIsKept() {
    AtomicLong now = new AtomicLong();
    PacedDeadlines deadlines =
        new PacedDeadlines(Duration.ZERO, ControllerDelays.GATE_LIFT_GAP, now::get);
    ImmutableMap<Integer, Duration> expected =
        ImmutableMap.of(0, Duration.ZERO, 1, ControllerDelays.GATE_LIFT_GAP);
    expected.keySet().forEach(i -> deadlines.left(unit(i), pod("p").facts().ref()));

    assertThat(expected)
        .allSatisfy(
            (i, left) ->
                assertThat(deadlines.left(unit(i), pod("p").facts().ref())).isEqualTo(left));
  }

  @Test
  void aNamespaceWithThousandsThatWaitDelaysNoOtherOne() {
    AtomicLong now = new AtomicLong();
    Duration gap = ControllerDelays.GATE_LIFT_GAP;
    PacedDeadlines deadlines = new PacedDeadlines(Duration.ZERO, gap, now::get);
    Stream.iterate(0, i -> i + 1)
        .limit(10_000)
        .forEach(i -> deadlines.left(unit(i), pod("p").facts().ref()));

    assertThat(Stream.of("pod/a", "pod/b", "pod/c"))
        .extracting(name -> deadlines.left(new ObjectKey("b", name), pod("p").facts().ref()))
        .containsExactly(gap, gap.multipliedBy(3), gap.multipliedBy(5));
    assertThat(deadlines.left(new ObjectKey("c", "pod/a"), pod("p").facts().ref()))
        .isEqualTo(gap.multipliedBy(2));
  }

  @Test
  void aNamespaceWhoseLineHasEndedLeavesItsTurnsToOthers() {
    AtomicLong now = new AtomicLong();
    Duration gap = ControllerDelays.GATE_LIFT_GAP;
    PacedDeadlines deadlines = new PacedDeadlines(Duration.ZERO, gap, now::get);
    deadlines.left(unit(0), pod("p").facts().ref());
    now.addAndGet(gap.toNanos());

    assertThat(Stream.of("pod/a", "pod/b"))
        .extracting(name -> deadlines.left(new ObjectKey("b", name), pod("p").facts().ref()))
        .containsExactly(Duration.ZERO, gap);
  }

  private static ObjectKey unit(int number) {
    return new ObjectKey("default", "pod/" + number);
  }
}
