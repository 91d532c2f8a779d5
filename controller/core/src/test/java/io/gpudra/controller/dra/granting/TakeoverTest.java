package io.gpudra.controller.dra.granting;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.telling.Warnings;
import io.gpudra.controller.dra.testing.FakeCluster;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.dra.waiting.WakeUps;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** The fence of a new leader whom nobody told anything before. */
final class TakeoverTest {
  private static final int ATTEMPTS = 10;

  private final World world = World.of("worker", 2);
  private final FakeCluster cluster = world.cluster;
  private final WakeUps wakeUps = new WakeUps(() -> 0, () -> 0L);
  private final FakeDriver driver = new FakeDriver(ImmutableMap.of("worker", 2), wakeUps);
  private final Takeover takeover =
      new Takeover(
          cluster,
          cluster,
          new ClaimFeed(driver, cluster),
          wakeUps,
          new Warnings(cluster, unused -> ImmutableList.of()));

  private void failUnguard(Kind answer) {
    Collections.nCopies(ATTEMPTS, answer).forEach(kind -> cluster.failNext("unguard", kind));
  }

  @Test
  void aClaimWithTheFinalizerOrAGrantIsAFormerLeadersWork() {
    world.addClaim(claim("waiting"));
    assertThat(takeover.isFirst()).isTrue();

    world.addClaim(claim("begun").guarded(true));
    assertThat(takeover.isFirst()).as("finalizer").isFalse();

    cluster.remove(world.claim("begun").ref());
    world.addClaim(claim("granted").byUs("worker#0", "worker"));
    assertThat(takeover.isFirst()).as("grant").isFalse();
  }

  @Test
  void theDriverLearnsWhatIsGrantedAndEveryClaimAndContextIsLookedAt() throws Unavailable {
    world.addClaim(claim("a").guarded(true).byUs("worker#0", "worker")).addClaim(claim("b"));
    world.select("pod", "worker");

    assertThat(takeover.run()).isEmpty();
    assertThat(driver.holds).containsOnlyKeys(world.claim("a").uid());
    assertThat(wakeUps.claimKeys().depth()).isEqualTo(2);
    assertThat(wakeUps.contextKeys().depth()).isEqualTo(1);
  }

  @Test
  void aFenceThatIsNotClearAfterTenAttemptsIsNoFence() {
    world.addClaim(claim("a").guarded(true));
    failUnguard(Kind.UNCLEAR);

    assertThatThrownBy(takeover::run)
        .isInstanceOf(Unavailable.class)
        .hasMessageContaining("default/a");
    assertThat(Collections.frequency(world.takeCalls(), "PUT unguard a")).isEqualTo(ATTEMPTS);
  }

  @Test
  void aFenceThatOneClaimRefusesIsRaisedWithoutItAndThatIsTold() throws Unavailable {
    world.addClaim(claim("a").guarded(true));
    failUnguard(Kind.REJECTED);

    assertThat(takeover.run()).isEmpty();
    assertThat(world.claim("a").guarded()).isTrue();
    assertThat(cluster.warnings)
        .extracting("reason", "message")
        .containsExactly(
            tuple("DeallocationFailed", "the API server refuses to drop the driver's finalizer"));
  }

  @Test
  void aFenceThatIsRefusedButOnceIsRaisedWithoutAWord() throws Unavailable {
    world.addClaim(claim("a").guarded(true));
    cluster.failNext("unguard", Kind.REJECTED);

    assertThat(takeover.run()).isEmpty();
    assertThat(world.claim("a").guarded()).isFalse();
    assertThat(cluster.warnings).isEmpty();
  }

  @Test
  void aFenceThatCannotBeReadIsNoFence() {
    world.addClaim(claim("a").guarded(true));
    cluster.failNext("unguard", Kind.CONFLICT);
    cluster.failNext("live", Kind.UNCLEAR);

    assertThatThrownBy(takeover::run).isInstanceOf(Unavailable.class);
  }
}
