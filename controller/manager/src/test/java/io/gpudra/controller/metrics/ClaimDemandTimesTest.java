package io.gpudra.controller.metrics;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.dra.testing.World.direct;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import org.junit.jupiter.api.Test;

class ClaimDemandTimesTest {
  private final World world = World.of("worker", 0);
  private final ClaimDemandTimes claimDemandTimes =
      new ClaimDemandTimes(world.requeuer::wantedBy, world.cluster, world.cluster, Some.DRIVER);

  private ClaimFacts added(Some some) {
    world.addClaim(some).run();
    return some.facts();
  }

  @Test
  void anImmediateClaimIsWantedSinceItWasMade() {
    assertThat(claimDemandTimes.since(added(claim("a").immediate()))).hasValue(Some.EPOCH);
  }

  @Test
  void anotherClaimIsWantedWhileAPodIsToBeScheduledWithIt() {
    ClaimFacts claim = added(claim("a"));
    assertThat(claimDemandTimes.since(claim)).isEmpty();

    world.addPod("p", direct("a")).select("p", "worker").run();
    assertThat(claimDemandTimes.since(claim)).hasValue(Some.EPOCH);

    world.requeuer.names(
        WorkKey.gate(new ObjectKey(Some.NS, "p")), ImmutableSet.of(Some.ref("other")));
    assertThat(claimDemandTimes.since(added(claim("other")))).as("at a gate").isEmpty();
    world.cluster.removeContext(new ObjectKey(Some.NS, "p"));
    assertThat(claimDemandTimes.since(claim)).isEmpty();
  }

  @Test
  void whatIsNotOursIsNotWantedFromUs() {
    assertThat(claimDemandTimes.since(added(claim("a").immediate().ofClass("other-class"))))
        .isEmpty();
    assertThat(claimDemandTimes.since(added(claim("b").immediate().ofClass("no-class")))).isEmpty();
  }
}
