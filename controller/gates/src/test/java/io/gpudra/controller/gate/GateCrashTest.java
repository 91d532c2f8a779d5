package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.loop.ControllerDelays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The leader dies at each of its writes, before or after the effect; the next one completes. */
final class GateCrashTest {
  private record Death(int write, boolean afterTheEffect) {
    @Override
    public String toString() {
      return (afterTheEffect ? "after write " : "before write ") + write;
    }
  }

  static Stream<Death> deathsOfAGrant() {
    return deaths(5);
  }

  static Stream<Death> deathsOfAReturn() {
    return deaths(3);
  }

  private static Stream<Death> deaths(int writes) {
    return IntStream.range(0, writes)
        .boxed()
        .flatMap(write -> Stream.of(new Death(write, false), new Death(write, true)));
  }

  private static void die(GateWorld gate, Death death) throws Exception {
    gate.world.cluster.writesUntilCrash = death.write();
    gate.world.cluster.crashAfterTheEffect = death.afterTheEffect();
    for (int step = 0; step < 200 && gate.world.cluster.writesUntilCrash >= 0; step++) {
      assertThat(gate.gateLoop.runOnce() || gate.world.claimLoop.runOnce()).isTrue();
      gate.world.cluster.checkInvariants();
    }
    gate.restart();
  }

  @ParameterizedTest
  @MethodSource("deathsOfAGrant")
  void theNextLeaderGrantsAllAndThenLifts(Death death) throws Exception {
    GateWorld gate = new GateWorld(ImmutableMap.of("n1", 2, "n2", 2));
    gate.claims(claim("a"), claim("b")).put(pod("p", "a", "b"));
    die(gate, death);
    gate.run();

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(ImmutableSet.of(gate.nodeOf("a"), gate.nodeOf("b"))).hasSize(1);
    assertThat(gate.world.driver.holds).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("deathsOfAReturn")
  void theNextLeaderCompletesAReturn(Death death) throws Exception {
    GateWorld gate = new GateWorld(ImmutableMap.of("n1", 2));
    gate.claims(claim("a")).put(pod("p", "a")).run();
    gate.put(pod("p", "a").ungated().refused()).run();
    gate.world.elapse(ControllerDelays.MISJUDGED);
    die(gate, death);
    gate.pass(ControllerDelays.MISJUDGED.multipliedBy(2));

    assertThat(gate.world.claim("a").allocation()).isEmpty();
    assertThat(gate.world.claim("a").hasFinalizer()).isFalse();
    assertThat(gate.world.driver.holds).isEmpty();
  }

  @Test
  void aPodWithAGrantComesBeforeAllOthers() throws Exception {
    GateWorld gate = GateWorld.of("worker", 2);
    gate.claims(
        claim("first"),
        claim("a").withFinalizer(true).byUs("worker#0", "worker").reservedFor("p-uid"),
        claim("b"));
    gate.put(pod("urgent", "first").priority(9)).put(pod("p", "a", "b"));
    gate.restart();
    gate.run();

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.pods.isGated("urgent")).isTrue();
  }

  @Test
  void aGroupWithAGrantComesBeforeAllOthers() throws Exception {
    GateWorld gate = GateWorld.of("worker", 2);
    gate.claims(
        claim("first"),
        claim("a"),
        claim("b").withFinalizer(true).byUs("worker#0", "worker").reservedFor("q-uid"));
    gate.put(pod("urgent", "first").priority(9));
    gate.put(pod("p", "a").priority(1).inGroup("g")).put(pod("q", "b").inGroup("g"));
    gate.restart();
    gate.run();

    assertThat(gate.pods.isGated("p")).isFalse();
    assertThat(gate.pods.isGated("urgent")).isTrue();
  }

  @Test
  void otherwiseTheRankDecides() throws Exception {
    GateWorld gate = GateWorld.of("worker", 1);
    gate.claims(claim("a"), claim("b"));
    gate.put(pod("p", "a")).put(pod("urgent", "b").priority(9));
    gate.restart();
    gate.run();

    assertThat(gate.pods.isGated("p")).isTrue();
    assertThat(gate.pods.isGated("urgent")).isFalse();
  }
}
