package io.gpudra.controller.client.election;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.election.FakeLeaseStore.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a leader leaves to the next one. */
class LegacyTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final ElectionTiming TIMING =
      new ElectionTiming(
          LEASE, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(4));

  private final AtomicLong nanos = new AtomicLong();
  private final FakeLeaseStore leases = new FakeLeaseStore();
  private final Candidate a = new Candidate("a");
  private final Candidate b = new Candidate("b");

  private final class Candidate implements LeaderElection.Terms {
    final FakeLeaseStore.Connection connection = leases.connect();
    final LeaderElection election;
    final List<String> left = new ArrayList<>();
    String inherited = "nothing";
    String word = "";

    Candidate(String identity) {
      this.election =
          new LeaderElection(connection, identity, TIMING, nanos::get, this, new MetricRegistry());
    }

    void step() {
      Duration unused = election.step();
    }

    @Override
    public void begun(long epoch) {}

    @Override
    public void lost(String why) {}

    @Override
    public void inherit(String of) {
      inherited = of;
    }

    @Override
    public String legacy() {
      return word;
    }

    @Override
    public void wordStored(String now) {
      left.add(now);
    }
  }

  @BeforeEach
  void aLeads() {
    leases.put(new LeaseStore.Holding("", 1, 0, ""));
    a.step();
  }

  private void takeOver() {
    b.step();
    nanos.addAndGet(LEASE.toNanos());
    b.step();
    assertThat(b.election.leading()).isTrue();
  }

  @Test
  void theFirstLeaderInheritsAnEmptyWord() {
    assertThat(a.inherited).isEmpty();
  }

  @Test
  void aWordIsWrittenWithTheRenewalAndReachesTheNextLeader() {
    a.word = "one";
    a.step();
    a.step();
    takeOver();

    assertThat(a.connection.writes).isEqualTo(3);
    assertThat(a.left).containsExactly("one", "one");
    assertThat(b.inherited).isEqualTo("one");
    assertThat(leases.stored().word()).isEqualTo("one");
  }

  @Test
  void aWordIsLeftOnceTheServerHasSaidSo() {
    a.word = "one";
    a.connection.fault = Fault.NO_ANSWER_BUT_DONE;
    a.step();

    assertThat(a.left).isEmpty();
    takeOver();
    assertThat(b.inherited).isEqualTo("one");
  }

  @Test
  void aWordThatSomebodyCameBeforeIsNotLeft() {
    leases.touch();
    a.word = "one";
    a.step();
    assertThat(a.left).isEmpty();

    a.step();
    assertThat(a.left).containsExactly("one");
  }

  @Test
  void whoGivesTheLeaseUpLeavesItsLastWord() {
    a.word = "last";
    a.election.close();

    assertThat(leases.stored().released()).isTrue();
    b.step();
    assertThat(b.inherited).isEqualTo("last");
  }
}
