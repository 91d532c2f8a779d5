package io.gpudra.controller.dra;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.crds.model.ClaimUid;
import org.junit.jupiter.api.Test;

final class ClaimFeedTest {
  private final World world = World.of("worker", 2);

  @Test
  void whatAClaimHasIsNotToldOfTheOneThatHadItsName() {
    world.addClaim(claim("c").uid("second").withFinalizer(true).byUs("worker#0", "worker"));
    world.driver.holds.clear();
    ClaimFeed feed = new ClaimFeed(world.driver, world.cluster);
    feed.refresh(Some.ref("c"), new ClaimUid("first"));
    assertThat(world.driver.holds).isEmpty();
    feed.refresh(Some.ref("c"), new ClaimUid("second"));

    assertThat(world.driver.holds).containsOnlyKeys(new ClaimUid("second"));
  }

  @Test
  void theDriverIsToldThatAClaimIsGone() {
    ClaimFeed feed = new ClaimFeed(world.driver, world.cluster);
    feed.deleted(Some.ref("c"), new ClaimUid("first"));

    assertThat(world.driver.gone).containsExactly(new ClaimUid("first"));
  }
}
