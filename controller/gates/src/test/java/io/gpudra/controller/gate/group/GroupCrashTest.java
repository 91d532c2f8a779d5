package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.testing.GateWorld;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The leader dies at each of its writes for a group; the next one starts it whole or not at all.
 */
final class GroupCrashTest {
  private static final int WRITES = 9;
  private static final ImmutableList<String> MEMBERS = ImmutableList.of("a", "b", "c");
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  private record Death(int write, boolean afterTheEffect) {
    @Override
    public String toString() {
      return (afterTheEffect ? "after write " : "before write ") + write;
    }
  }

  static Stream<Death> deaths() {
    return IntStream.range(0, WRITES)
        .boxed()
        .flatMap(write -> Stream.of(new Death(write, false), new Death(write, true)));
  }

  private static GateWorld group(int slots) {
    GateWorld gate = new GateWorld(ImmutableMap.of("n1", slots - 1, "n2", 1));
    MEMBERS.forEach(
        name -> gate.claims(claim("of-" + name)).put(pod(name, "of-" + name).inGroup("g", "3")));
    return gate;
  }

  private static void die(GateWorld gate, Death death) {
    gate.world.cluster.writesUntilCrash = death.write();
    gate.world.cluster.crashAfterTheEffect = death.afterTheEffect();
    for (int step = 0; step < 200 && gate.world.cluster.writesUntilCrash >= 0; step++) {
      assertThat(gate.gateLoop.runOnce() || gate.world.claimLoop.runOnce()).isTrue();
      noneAlone(gate);
    }
  }

  /** A gate that is gone shows that all claims are allocated. */
  private static void noneAlone(GateWorld gate) {
    if (MEMBERS.stream().anyMatch(name -> !gate.pods.isGated(name))) {
      assertThat(MEMBERS).allMatch(name -> gate.world.claim("of-" + name).allocatedByUs());
    }
  }

  private static boolean isLifted(GateWorld gate, String name) {
    return !gate.pods.isGated(name);
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void theNextLeaderStartsTheWholeGroup(Death death) throws Exception {
    GateWorld gate = group(3);
    die(gate, death);
    gate.restart();
    gate.run();

    assertThat(MEMBERS).allMatch(name -> isLifted(gate, name));
    assertThat(gate.world.driver.holds).hasSize(MEMBERS.size());
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void theNextLeaderHoldsNothingForAGroupThatLostAMember(Death death) throws Exception {
    GateWorld gate = group(3);
    die(gate, death);
    boolean started = MEMBERS.stream().anyMatch(name -> isLifted(gate, name));
    gate.pods.remove("c");
    gate.world.cluster.remove(Some.ref("of-c"));
    gate.restart();
    gate.pass(A_WHILE);

    assertThat(gate.world.driver.holds.isEmpty()).isEqualTo(!started);
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void aLateLiftOfTheFormerLeaderStartsNoMemberAlone(Death death) throws Exception {
    GateWorld gate = group(3);
    die(gate, death);
    gate.restart();
    // The gate of a goes whatever the new leader knows, and its pod comes to the scheduler.
    gate.put(pod("a", "of-a").inGroup("g", "3").ungated());
    gate.world.addPod(pod("a", "of-a").inGroup("g", "3").facts().facts()).select("a", "n1");
    gate.pass(A_WHILE);

    assertThat(MEMBERS).allMatch(name -> isLifted(gate, name));
    assertThat(gate.world.driver.holds).hasSize(MEMBERS.size());
  }

  /** Members without the gate have nodes by now. */
  private static void bindLifted(GateWorld gate) {
    MEMBERS.stream()
        .filter(name -> isLifted(gate, name))
        .toList()
        .forEach(
            name -> {
              gate.pods.remove(name);
              gate.pods.bound(World.podRef(name), Phase.ALIVE, Some.ref("of-" + name));
            });
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void aSlowListOfTheNextLeaderTakesNothingFromMembersWhoseOthersRun(Death death) throws Exception {
    GateWorld gate = group(3);
    die(gate, death);
    ImmutableList<String> granted =
        MEMBERS.stream()
            .filter(name -> gate.world.claim("of-" + name).allocatedByUs())
            .collect(toImmutableList());
    bindLifted(gate);
    gate.pods.tooSlow = true;
    gate.restart();
    gate.pass(A_WHILE);
    assertThat(granted).allMatch(name -> gate.world.claim("of-" + name).allocatedByUs());

    gate.pods.tooSlow = false;
    gate.pass(A_WHILE);
    assertThat(gate.pods.units()).noneMatch(gate.pods::isAtGate);
  }
}
