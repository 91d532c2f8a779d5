package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.memory.LiveHeap;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The scheduler finds no room for a pod on the node of its grant. */
final class MisjudgedTest {
  private static final Duration STEP = Duration.ofMillis(50);

  private final GateWorld gate = new GateWorld(ImmutableMap.of("n1", 1, "n2", 1));

  @BeforeEach
  void aPodIsGrantedAndRefused() {
    gate.claims(claim("a")).put(pod("p", "a")).run();
    gate.put(pod("p", "a").ungated().refused()).run();
    gate.world.takeCalls();
    gate.outcomes.clear();
  }

  @Test
  void aRefusalThatLastsGivesTheGrantBackAndItIsTold() {
    gate.pass(ControllerDelays.MISJUDGED);

    assertThat(gate.world.takeCalls())
        .startsWith("GET pod p", "GET claim a", "PUT requestDeallocation a", "PUT deallocate a");
    assertThat(gate.world.claim("a").allocation()).isEmpty();
    assertThat(gate.outcomes).containsExactly("returned");
    assertThat(gate.world.cluster.warnings)
        .extracting(Warning::subject)
        .containsExactly(
            new Subject.OnPod(World.podRef("p")),
            new Subject.OnClaim(Some.ref("a"), claim("a").facts().uid()));
    assertThat(gate.world.cluster.warnings)
        .allSatisfy(warning -> assertThat(warning.message()).contains("n1", "Insufficient cpu"));
  }

  @Test
  void aRefusalThatIsAsYoungAsTheGrantChangesNothing() {
    gate.pass(ControllerDelays.MISJUDGED.minus(STEP));
    gate.put(pod("p", "a").ungated()).pass(STEP);
    gate.put(pod("p", "a").ungated().refused()).pass(ControllerDelays.MISJUDGED.minus(STEP));

    assertThat(gate.world.takeCalls()).isEmpty();
    assertThat(gate.nodeOf("a")).isEqualTo("n1");
  }

  @Test
  void aPodThatRunsByNowKeepsItsGrantHoweverOldTheWatchIs() {
    gate.pods.running.add(World.podRef("p"));
    gate.pass(ControllerDelays.MISJUDGED.multipliedBy(2));

    assertThat(gate.world.takeCalls()).contains("GET pod p").doesNotContain("GET claim a");
    assertThat(gate.nodeOf("a")).isEqualTo("n1");
  }

  @Test
  void aPodOfWhichTheServerTellsNothingKeepsItsGrant() {
    gate.world.mayFail = true;
    gate.pods.silent = true;
    gate.pass(ControllerDelays.MISJUDGED.multipliedBy(2));

    assertThat(gate.nodeOf("a")).isEqualTo("n1");
  }

  @Test
  void aClaimThatAnotherPodUsesByNowIsKept() {
    gate.world.cluster.frozen = true;
    gate.world.cluster.change(Some.ref("a"), s -> s.reservedFor("p-uid", "q-uid"));
    gate.world.cluster.frozen = false;
    gate.pass(ControllerDelays.MISJUDGED);

    assertThat(gate.world.takeCalls()).containsExactly("GET pod p", "GET claim a");
  }

  @Test
  void aConflictIsReadAndWrittenAgain() {
    gate.world.cluster.failNext("requestDeallocation", Kind.CONFLICT);
    gate.pass(ControllerDelays.MISJUDGED);

    assertThat(gate.world.claim("a").allocation()).isEmpty();
  }

  @Test
  void aRequestWithoutAClearAnswerIsSentAgain() {
    gate.world.cluster.failNext("requestDeallocation", Kind.UNCLEAR);
    gate.pass(ControllerDelays.MISJUDGED.multipliedBy(2));

    assertThat(gate.world.claim("a").allocation()).isEmpty();
  }

  @Test
  void theNodeIsLeftOutForPodsOfThatSizeForAWhile() {
    gate.pass(ControllerDelays.MISJUDGED);
    gate.claims(claim("alike"), claim("small")).put(pod("q", "alike")).run();
    gate.put(pod("r", "small").cpu(1)).run();

    assertThat(gate.nodeOf("alike")).isEqualTo("n2");
    assertThat(gate.nodeOf("small")).isEqualTo("n1");
  }

  @Test
  void theNodeIsNotLeftOutForPodsOfOtherNamespaces() {
    gate.pass(ControllerDelays.MISJUDGED);
    gate.claims(claim("alike").in("other"));
    gate.put(pod("q").namespace("other").entries(SomePod.of("other", "alike"))).run();

    assertThat(gate.world.driver.holds)
        .hasEntrySatisfying(
            claim("alike").facts().uid(), hold -> assertThat(hold.node()).isEqualTo("n1"));
  }

  @Test
  void aNamespaceForWhichManyNodesAreLeftOutPushesNoOtherOut() {
    LeftOutNodes nodes = new LeftOutNodes(() -> 0);
    ImmutableMap<String, Long> size = ImmutableMap.of("cpu", 1L);
    nodes.add("n1", "ns", size);
    for (int i = 0; i < 5_000; i++) {
      nodes.add("n" + i, "other", size);
    }

    assertThat(nodes.of("ns", size)).containsExactly("n1");
    assertThat(nodes.size()).isLessThanOrEqualTo(1_001);
  }

  @Test
  void largeSizesForWhichANodeIsLeftOutTakeLittleMemory() {
    LeftOutNodes nodes = new LeftOutNodes(() -> 0);
    long before = LiveHeap.bytes();
    IntStream.range(0, 1_000).forEach(i -> nodes.add("n1", "ns", largeSize(i)));

    assertThat(LiveHeap.bytes() - before).isLessThan(1 << 20);
    assertThat(nodes.size()).isGreaterThan(900);
    assertThat(nodes.of("ns", largeSize(999))).containsExactly("n1");
    assertThat(nodes.of("ns", largeSize(1_001))).isEmpty();
  }

  private static ImmutableMap<String, Long> largeSize(int number) {
    return IntStream.range(0, 32)
        .boxed()
        .collect(
            ImmutableMap.toImmutableMap(
                i -> "example.com/" + "x".repeat(200) + i, i -> (long) number));
  }

  @Test
  void theNodeComesBackAfterAWhile() {
    gate.pass(ControllerDelays.MISJUDGED);
    gate.world.elapse(ControllerDelays.LEFT_OUT.dividedBy(2));
    gate.claims(claim("early"), claim("alike")).put(pod("q", "early")).run();
    gate.world.elapse(ControllerDelays.LEFT_OUT.dividedBy(2));
    gate.put(pod("r", "alike")).run();

    assertThat(gate.nodeOf("early")).isEqualTo("n2");
    assertThat(gate.nodeOf("alike")).isEqualTo("n1");
  }

  @Test
  void nothingIsRememberedOfAPodThatIsGone() {
    gate.pass(STEP);
    gate.pods.remove("p");
    gate.run();

    assertThat(gate.remembered()).isEmpty();
  }
}
