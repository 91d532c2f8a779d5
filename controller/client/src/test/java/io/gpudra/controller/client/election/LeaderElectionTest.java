package io.gpudra.controller.client.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.election.FakeLeaseStore.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

  private static final ElectionTiming TIMING =
      new ElectionTiming(
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(4));

  /** Near the end of its range, as a monotonic clock may be. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 3_000_000_000L);

  private final FakeLeaseStore leases = new FakeLeaseStore();
  private final Candidate a = new Candidate("a");
  private final Candidate b = new Candidate("b");

  private final class Candidate implements LeaderElection.Terms {
    final FakeLeaseStore.Connection connection = leases.connect();
    final List<String> told = new ArrayList<>();
    final MetricRegistry metrics = new MetricRegistry();
    final LeaderElection election;

    Candidate(String identity) {
      this.election = new LeaderElection(connection, identity, TIMING, nanos::get, this, metrics);
    }

    @Override
    public void begun(long epoch) {
      told.add("begun " + epoch);
    }

    @Override
    public void lost(String why) {
      told.add("lost: " + why);
    }

    void step() {
      Duration unused = election.step();
    }
  }

  private void pass(long seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @BeforeEach
  void afterAFormerTerm() {
    leases.put(new LeaseStore.Holding("", 1, 0, ""));
  }

  @Test
  void theFirstCandidateTakesAFreeLeaseAndLeadsAtOnce() {
    a.step();

    assertThat(a.told).containsExactly("begun 1");
    assertThat(a.election.leading()).isTrue();
    assertThat(a.election.mayWrite()).isTrue();
    assertThat(leases.stored().holder()).isEqualTo("a");
    assertThat(leases.stored().seconds()).isEqualTo(15);
    assertThat(a.metrics.gauge("election.leading").getValue()).isEqualTo(1);
  }

  @Test
  void theSecondCandidateWaitsForAsLongAsTheFirstRenews() {
    a.step();
    for (int i = 0; i < 50; i++) {
      pass(2);
      a.step();
      b.step();
    }

    assertThat(a.election.leading()).isTrue();
    assertThat(b.told).isEmpty();
    assertThat(b.connection.writes).isZero();
    assertThat(b.election.mayWrite()).isFalse();
    assertThat(b.election.remaining()).isZero();
  }

  @Test
  void theSecondTakesOverWhenNothingChangedForTheWholeDuration() {
    a.step();
    pass(3);
    b.step();
    pass(14);
    b.step();
    assertThat(b.told).isEmpty();

    pass(1);
    b.step();

    assertThat(b.told).containsExactly("begun 2");
    assertThat(leases.stored().holder()).isEqualTo("b");
  }

  @Test
  void aChangeThatIsNoRenewalDoesNotProlongALease() {
    a.step();
    b.step();
    pass(15);
    leases.touch();
    b.step();

    assertThat(b.told).containsExactly("begun 2");
  }

  @Test
  void writingEndsACallBeforeAnybodyElseCanLead() {
    a.step();
    b.step();

    pass(11);
    assertThat(a.election.mayWrite()).isTrue();
    nanos.incrementAndGet();
    assertThat(a.election.mayWrite()).isFalse();
    assertThat(a.election.remaining()).isLessThan(TIMING.call());

    nanos.decrementAndGet();
    pass(3);
    b.step();
    assertThat(b.told).isEmpty();
  }

  @Test
  void aRenewalCountsFromWhenItWasSentNotFromItsAnswer() {
    a.connection.meanwhile = () -> pass(3);
    a.step();
    assertThat(a.election.remaining()).isEqualTo(Duration.ofSeconds(12));

    pass(2);
    a.step();

    assertThat(a.election.remaining()).isEqualTo(Duration.ofSeconds(12));
  }

  @Test
  void aFrozenLeaderGivesUpBeforeItDoesAnythingElse() {
    a.step();
    b.step();
    pass(16);
    b.step();
    int writes = a.connection.writes;

    a.step();

    assertThat(a.told).containsExactly("begun 1", "lost: could not renew for 16000 ms");
    assertThat(a.connection.writes).isEqualTo(writes);
    assertThat(leases.stored().holder()).isEqualTo("b");
  }

  @Test
  void aLeaderThatSeesAnotherHolderIsLostAtOnce() {
    a.step();
    leases.put(new LeaseStore.Holding("b", 15, 2, ""));

    a.step();
    assertThat(a.election.leading()).isTrue();
    a.step();

    assertThat(a.told).containsExactly("begun 1", "lost: lease is held by b");
    assertThat(a.election.mayWrite()).isFalse();
    assertThat(leases.stored().holder()).isEqualTo("b");
  }

  @Test
  void whoLostNeverLeadsAgain() {
    a.step();
    leases.put(new LeaseStore.Holding("b", 15, 2, ""));
    a.step();
    a.step();
    leases.delete();

    pass(100);
    a.step();

    assertThat(a.told).hasSize(2);
    assertThatThrownBy(leases::stored).hasMessageContaining("no lease");
  }

  @Test
  void anotherTermUnderOurOwnNameIsLossToo() {
    a.step();
    leases.put(new LeaseStore.Holding("a", 15, 2, ""));
    a.step();
    a.step();

    assertThat(a.told).containsExactly("begun 1", "lost: lease is held by a");
  }

  @Test
  void aConflictWithAHarmlessWriterIsNoLoss() {
    a.step();
    leases.touch();
    pass(2);
    a.step();
    a.step();

    assertThat(a.told).containsExactly("begun 1");
    assertThat(a.election.remaining()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void oneFailureIsNoLossAndTheDeadlineIs() {
    a.step();
    a.connection.fault = Fault.NO_ANSWER;
    for (int i = 0; i < 5; i++) {
      pass(2);
      a.step();
    }
    assertThat(a.told).containsExactly("begun 1");
    assertThat(a.metrics.meter("election.failures").getCount()).isEqualTo(5);

    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun 1", "lost: could not renew for 11000 ms");
  }

  /** Only so it is gone before anybody else may lead. */
  @Test
  void aCallThatTakesWhatIsLeftIsTheLastOne() {
    a.step();
    a.connection.fault = Fault.NO_ANSWER;
    a.connection.meanwhile = () -> pass(4);
    pass(9);
    a.step();

    assertThat(a.told).containsExactly("begun 1", "lost: could not renew for 13000 ms");
  }

  @Test
  void aRenewalWithoutAnswerDoesNotProlongWritingButTheNextOneDoes() {
    a.step();
    a.connection.fault = Fault.NO_ANSWER_BUT_DONE;
    pass(2);
    a.step();
    assertThat(a.election.remaining()).isEqualTo(Duration.ofSeconds(13));

    a.connection.fault = Fault.NONE;
    a.step();

    assertThat(a.election.remaining()).isEqualTo(Duration.ofSeconds(15));
    assertThat(a.told).containsExactly("begun 1");
  }

  @Test
  void anAcquisitionWithoutAnswerIsTakenUpByItsOwner() {
    a.connection.fault = Fault.NO_ANSWER_BUT_DONE;
    a.step();
    a.connection.fault = Fault.NONE;
    leases.put(new LeaseStore.Holding("a", 15, 1, ""));
    a.step();

    assertThat(a.told).containsExactly("begun 2");
  }

  @Test
  void ofTwoWhoTakeOverOneWins() {
    leases.put(new LeaseStore.Holding("gone", 15, 7, ""));
    a.step();
    b.step();
    pass(15);
    a.step();
    b.step();
    b.step();

    assertThat(a.told).containsExactly("begun 8");
    assertThat(b.told).isEmpty();
  }

  @Test
  void aReleasedLeaseIsTakenAtOnce() {
    a.step();
    b.step();
    a.election.close();
    assertThat(a.election.leading()).isFalse();

    b.step();

    assertThat(b.told).containsExactly("begun 2");
    assertThat(a.told).containsExactly("begun 1");
  }

  @Test
  void whoDoesNotLeadReleasesNothing() {
    a.step();
    b.step();
    b.election.close();

    assertThat(leases.stored().holder()).isEqualTo("a");
    assertThat(b.connection.writes).isZero();
  }

  @Test
  void aLeaseInOurNameIsAFormerLifesAndTakenAtOnce() {
    leases.put(new LeaseStore.Holding("a", 15, 3, ""));
    a.step();

    assertThat(a.told).containsExactly("begun 4");
  }

  @Test
  void aLeaseThatSaysNothingIsHeldForOursAsALeaderMayLive() {
    leases.make(0, 0);
    a.step();
    pass(14);
    a.step();
    assertThat(a.told).isEmpty();
    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun 1");
  }

  @Test
  void aLeaseWithoutDurationIsHeldForOurs() {
    leases.put(new LeaseStore.Holding("x", 0, 0, ""));
    a.step();
    pass(14);
    a.step();
    assertThat(a.told).isEmpty();
    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun 1");
  }

  @Test
  void theHoldersDurationCountsNotOurs() {
    leases.put(new LeaseStore.Holding("x", 40, 0, ""));
    a.step();
    pass(39);
    a.step();
    assertThat(a.told).isEmpty();
    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun 1");
  }

  @Test
  void theThreadLeadsRenewsAndReleases() {
    ElectionTiming quick =
        new ElectionTiming(
            Duration.ofSeconds(60),
            Duration.ofSeconds(50),
            Duration.ofMillis(5),
            Duration.ofSeconds(1));
    FakeLeaseStore.Connection connection = leases.connect();
    Candidate c = new Candidate("unused");
    try (LeaderElection election =
        new LeaderElection(connection, "c", quick, System::nanoTime, c, new MetricRegistry())) {
      election.start(() -> false);
      Awaitility.await("three renewals")
          .atMost(Duration.ofSeconds(60))
          .until(() -> connection.writes > 3);
    }

    assertThat(c.told).containsExactly("begun 1");
    assertThat(leases.stored().holder()).isEmpty();
  }

  @Test
  void anElectionWithSuchTimesIsNotBuilt() {
    ElectionTiming upsideDown =
        new ElectionTiming(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4));

    assertThatThrownBy(
            () ->
                new LeaderElection(
                    leases.connect(), "x", upsideDown, nanos::get, a, new MetricRegistry()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--lease-duration");
  }
}
