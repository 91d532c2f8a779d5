package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.Child;
import io.gpudra.simulator.http.Faults;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two controllers, 64 GPUs, 50 pods at once, and a leader that is lost in the middle of it. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LeaderFaultsTest {
  private static final int PODS = 50;
  private static final int HELD = 5;
  private static final Optional<Integer> LEADERSHIP_LOST = Optional.of(5);

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(
              ImmutableMap.of(
                  "worker-0", "latest:16",
                  "worker-1", "latest:16",
                  "worker-2", "latest:16",
                  "worker-3", "latest:16"),
              2,
              0));

  @AfterEach
  void endFaults() {
    faults().clear();
  }

  /** What it had sent when it died is stored when the next one leads, or refused. */
  @Test
  void aLeaderKilledInABurstLosesNothing() throws Exception {
    Child leader = leader();
    DisturbedBurst burst = withWritesOnTheirWay("leader-killed");
    leader.kill();
    awaitAnotherThan(leader);
    faults().release();
    burst.losesNothing();
    new Aftermath(cluster, "leader-killed").shippedCheckFindsNothing();
  }

  @Test
  void aLeaderThatSleptUntilAnotherLedEndsItselfAndGrantsNothingTwice() throws Exception {
    Child leader = leader();
    DisturbedBurst burst = withWritesOnTheirWay("leader-frozen");
    leader.freeze();
    try {
      awaitAnotherThan(leader);
      cluster.until("the other one has granted all", () -> burst.granted() == PODS / 2);
      faults().release();
    } finally {
      leader.thaw();
    }
    cluster.until("the first one is gone", () -> leader.exitCode().equals(LEADERSHIP_LOST));
    assertThat(refusedGrants())
        .as("late writes that met a newer version")
        .isGreaterThanOrEqualTo(HELD);
    burst.losesNothing();
  }

  @Test
  void anAPIServerThatRestartsInABurstLosesNothing() throws Exception {
    DisturbedBurst burst = DisturbedBurst.start(cluster, "server-restarted", PODS);
    doubles().stopServing();
    doubles().serveAgain();
    burst.losesNothing();
  }

  @Test
  void anAPIServerThatIsAwayUntilTheLeaderGivesUpLosesNothing() throws Exception {
    Child leader = leader();
    DisturbedBurst burst = DisturbedBurst.start(cluster, "server-away", PODS);
    doubles().stopServing();
    try {
      cluster.until("the leader gives up", () -> leader.exitCode().equals(LEADERSHIP_LOST));
    } finally {
      doubles().serveAgain();
    }
    burst.losesNothing();
  }

  private static DisturbedBurst withWritesOnTheirWay(String namespace) throws Exception {
    doubles().requests().clear();
    for (String resource : new String[] {"resourceclaims", "resourceclaims/status"}) {
      faults().inject(new Match("gpudra-controller", "patch", resource, ""), Fault.hold(), HELD);
    }
    DisturbedBurst burst = DisturbedBurst.start(cluster, namespace, PODS);
    cluster.until("writes are on their way", () -> faults().held() == 2 * HELD);
    return burst;
  }

  private static Child leader() throws Exception {
    cluster.until("somebody leads", () -> cluster.leader().isPresent());
    return cluster.leader().orElseThrow();
  }

  private static void awaitAnotherThan(Child leader) {
    cluster.until(
        "another one leads",
        () -> cluster.leader().filter(now -> now.pid() != leader.pid()).isPresent());
  }

  private static long refusedGrants() {
    return doubles()
        .requests()
        .count(entry -> entry.resource().equals("resourceclaims/status") && entry.code() == 409);
  }

  private static Faults faults() {
    return doubles().faults();
  }

  private static Doubles doubles() {
    return cluster.cluster().doubles();
  }
}
