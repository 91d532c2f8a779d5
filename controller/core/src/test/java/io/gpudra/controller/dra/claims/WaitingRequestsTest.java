package io.gpudra.controller.dra.claims;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Strings;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.memory.LiveHeap;
import org.junit.jupiter.api.Test;

/** What thousands of Immediate claims that wait for the same keep of it. */
final class WaitingRequestsTest {
  private static final int CLAIMS = 10_000;
  private static final int LARGE = 20_000;

  /** Of a claim that waits, with all that the doubles of the cluster keep of it. */
  private static final int OF_A_CLAIM = 4_000;

  private final World world = World.of("worker", 1);

  /** As they are read: anew for each claim. */
  private void waits(String name) {
    world.driver.parameters.put(name, new DriverParameters.Ready<>(Strings.repeat("x", LARGE)));
    world.addClaim(claim(name).immediate());
    assertThat(world.claimLoop.runOnce()).isTrue();
    world.driver.parameters.remove(name);
    world.driver.calls.clear();
    world.cluster.warnings.clear();
  }

  @Test
  void claimsThatWaitForTheSameKeepOneRequest() {
    world.driver.alike = true;
    world.addClaim(claim("holder").immediate()).run();
    waits("first");
    long before = LiveHeap.bytes();
    for (int i = 0; i < CLAIMS; i++) {
      waits("c" + i);
    }

    assertThat(world.requeuer.waitQueue().waiting()).isEqualTo(CLAIMS + 1);
    assertThat(LiveHeap.bytes() - before).isLessThan((long) CLAIMS * OF_A_CLAIM);
    assertThat(world.claim("first").allocation()).isEmpty();
  }
}
