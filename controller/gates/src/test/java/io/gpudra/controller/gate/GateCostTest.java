package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.memory.LiveHeap;
import org.junit.jupiter.api.Test;

/** What a pod at the gate costs while it waits. */
class GateCostTest {
  private static final int LARGE = 100_000;
  private static final int PODS = 200;
  private static final int OF_A_POD = 20_000;

  private final GateWorld gate = GateWorld.of("n1", 1);

  /** As it is read: anew for each claim. */
  private void waits(String name) {
    gate.world.driver.parameters.put(name, new DriverParameters.Ready<>("x".repeat(LARGE)));
    gate.claims(claim(name)).put(pod("of-" + name, name));
    assertThat(gate.gateLoop.runOnce()).isTrue();
    gate.world.driver.parameters.remove(name);
    gate.world.driver.calls.clear();
    gate.world.cluster.warnings.clear();
  }

  @Test
  void equalRequestsOfGatedPodsAreOneObject() {
    gate.world.driver.alike = true;
    gate.claims(claim("holder").immediate()).run();
    waits("first");
    long before = LiveHeap.bytes();
    for (int i = 0; i < PODS; i++) {
      waits("c" + i);
    }

    assertThat(gate.world.requeuer.waitQueue().waiting()).isEqualTo(PODS + 1);
    assertThat(LiveHeap.bytes() - before).isLessThan((long) PODS * OF_A_POD);
    assertThat(gate.world.claim("first").allocation()).isEmpty();
  }
}
