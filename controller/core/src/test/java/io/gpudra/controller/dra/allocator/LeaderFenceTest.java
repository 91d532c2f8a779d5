package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.testing.FakeCluster;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.World;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** The fence of a new leader whom nobody told anything before. */
final class LeaderFenceTest {
  private static final int ATTEMPTS = 10;

  private final World world = World.of("worker", 2);
  private final FakeCluster cluster = world.cluster;
  private final Requeuer requeuer = new Requeuer(() -> 0, () -> 0L);
  private final FakeDriver driver = new FakeDriver(ImmutableMap.of("worker", 2), requeuer);
  private final LeaderFence leaderFence =
      new LeaderFence(
          cluster,
          cluster,
          new ClaimFeed(driver, cluster),
          requeuer,
          new ClaimEventRecorder(cluster, unused -> ImmutableList.of()));

  private void failFinalizerRemoval(Kind answer) {
    Collections.nCopies(ATTEMPTS, answer)
        .forEach(kind -> cluster.failNext("removeFinalizer", kind));
  }

  @Test
  void aClaimWithTheFinalizerOrAGrantIsAFormerLeadersWork() {
    world.addClaim(claim("waiting"));
    assertThat(leaderFence.isFirst()).isTrue();

    world.addClaim(claim("begun").withFinalizer(true));
    assertThat(leaderFence.isFirst()).as("finalizer").isFalse();

    cluster.remove(world.claim("begun").ref());
    world.addClaim(claim("granted").byUs("worker#0", "worker"));
    assertThat(leaderFence.isFirst()).as("grant").isFalse();
  }

  @Test
  void theDriverLearnsWhatIsGrantedAndEveryClaimAndContextIsLookedAt()
      throws ApiUnavailableException {
    world.addClaim(claim("a").withFinalizer(true).byUs("worker#0", "worker")).addClaim(claim("b"));
    world.select("pod", "worker");

    assertThat(leaderFence.run()).isEmpty();
    assertThat(driver.holds).containsOnlyKeys(world.claim("a").uid());
    assertThat(requeuer.claimKeys().depth()).isEqualTo(2);
    assertThat(requeuer.contextKeys().depth()).isEqualTo(1);
  }

  @Test
  void aFenceThatIsNotClearAfterTenAttemptsIsNoFence() {
    world.addClaim(claim("a").withFinalizer(true));
    failFinalizerRemoval(Kind.UNCLEAR);

    assertThatThrownBy(leaderFence::run)
        .isInstanceOf(ApiUnavailableException.class)
        .hasMessageContaining("default/a");
    assertThat(Collections.frequency(world.takeCalls(), "PUT removeFinalizer a"))
        .isEqualTo(ATTEMPTS);
  }

  @Test
  void aFenceThatOneClaimRefusesIsRaisedWithoutItAndThatIsTold() throws ApiUnavailableException {
    world.addClaim(claim("a").withFinalizer(true));
    failFinalizerRemoval(Kind.REJECTED);

    assertThat(leaderFence.run()).isEmpty();
    assertThat(world.claim("a").hasFinalizer()).isTrue();
    assertThat(cluster.warnings)
        .extracting("reason", "message")
        .containsExactly(
            tuple("DeallocationFailed", "the API server refuses to drop the driver's finalizer"));
  }

  @Test
  void aFenceThatIsRefusedButOnceIsRaisedWithoutAWord() throws ApiUnavailableException {
    world.addClaim(claim("a").withFinalizer(true));
    cluster.failNext("removeFinalizer", Kind.REJECTED);

    assertThat(leaderFence.run()).isEmpty();
    assertThat(world.claim("a").hasFinalizer()).isFalse();
    assertThat(cluster.warnings).isEmpty();
  }

  @Test
  void aFenceThatCannotBeReadIsNoFence() {
    world.addClaim(claim("a").withFinalizer(true));
    cluster.failNext("removeFinalizer", Kind.CONFLICT);
    cluster.failNext("live", Kind.UNCLEAR);

    assertThatThrownBy(leaderFence::run).isInstanceOf(ApiUnavailableException.class);
  }
}
