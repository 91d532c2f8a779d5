package io.gpudra.controller.client.election;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.election.FakeLeaseStore.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever deletes the lease gets no second leader by it, and the epochs go on; without a lease only
 * the first leader ever begins at once.
 */
class DeletedLeaseTest {
  private static final ElectionTiming TIMING =
      new ElectionTiming(
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(4));

  private static final List<Fault> FAULTS = List.of(Fault.values());

  private final AtomicLong nanos = new AtomicLong();
  private final FakeLeaseStore leases = new FakeLeaseStore();
  private final List<Candidate> all = new ArrayList<>();
  private final List<Long> epochs = new ArrayList<>();
  private boolean untouched = true;
  private final Candidate a = candidate("a");
  private final Candidate b = candidate("b");

  private final class Candidate implements LeaderElection.Terms {
    final FakeLeaseStore.Connection connection = leases.connect();
    final LeaderElection election;
    final List<String> told = new ArrayList<>();
    long nextStep = nanos.get();
    long landsUntil = Long.MIN_VALUE;

    Candidate(String identity) {
      election =
          new LeaderElection(connection, identity, TIMING, nanos::get, this, new MetricRegistry());
      election.expect(() -> untouched);
    }

    @Override
    public void begun(long epoch) {
      assertThat(all)
          .filteredOn(other -> other != this)
          .as("writes that may land while another leads")
          .noneMatch(other -> other.election.mayWrite() || other.landsUntil > nanos.get());
      told.add("begun");
      epochs.add(epoch);
    }

    @Override
    public void lost(String why) {
      told.add("lost: " + why);
    }

    void step() {
      nextStep = nanos.get() + election.step().toNanos();
    }

    void write() {
      if (election.mayWrite()) {
        landsUntil = nanos.get() + TIMING.call().toNanos();
      }
    }

    boolean ended() {
      return told.stream().anyMatch(text -> text.startsWith("lost"));
    }
  }

  private Candidate candidate(String identity) {
    Candidate made = new Candidate(identity);
    all.add(made);
    return made;
  }

  private void pass(long seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  private void lead(Candidate candidate) {
    leases.put(new LeaseStore.Holding("", 1, 7, ""));
    candidate.step();
  }

  @Test
  void theFirstLeaderEverBeginsAtOnce() {
    a.step();
    b.step();

    assertThat(a.told).containsExactly("begun");
    assertThat(b.told).isEmpty();
    assertThat(leases.marked()).isTrue();
  }

  @Test
  void aClaimThatALeaderWorkedOnMakesTheNextWait() {
    untouched = false;
    a.step();
    a.step();

    assertThat(a.told).isEmpty();
    assertThat(leases.marked()).as("another may be first").isFalse();
  }

  @Test
  void ofTwoThatFindNoLeaseOneIsFirst() {
    a.connection.afterMark = b::step;
    a.step();

    assertThat(a.told).isEmpty();
    assertThat(b.told).isEmpty();
    assertThat(leases.stored().holder()).as("one that is waited for").isEmpty();
  }

  @Test
  void aMarkWhoseAnswerWasLostMakesAllWait() {
    a.connection.markAnswered = false;
    a.step();
    a.connection.markAnswered = true;
    a.step();
    b.step();

    assertThat(a.told).isEmpty();
    assertThat(b.told).isEmpty();
  }

  @Test
  void theFirstEverThatMayNotMarkWaitsAndLeads() {
    a.connection.mayMark = false;
    a.step();
    a.step();
    pass(14);
    a.step();
    assertThat(a.told).isEmpty();

    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun");
  }

  @Test
  void aTermThatBeginsWithTheLeaseOfAnOlderVersionIsMarked() {
    lead(a);
    leases.delete();
    b.step();

    assertThat(leases.marked()).isTrue();
    assertThat(b.told).isEmpty();
  }

  @Test
  void aLeaderThatMayNotMarkGoesOnAndTriesAgain() {
    a.connection.mayMark = false;
    lead(a);
    assertThat(a.election.leading()).isTrue();
    a.connection.mayMark = true;
    pass(2);
    a.step();
    assertThat(leases.marked()).as("it tries rarely").isFalse();
    for (int i = 0; i < 150; i++) {
      pass(2);
      a.step();
    }

    assertThat(leases.marked()).isTrue();
  }

  @Test
  void whoFindsAMarkWaitsAsALeaderMayLive() {
    lead(a);
    leases.delete();
    b.step();
    b.step();
    pass(14);
    b.step();
    assertThat(b.told).isEmpty();
    assertThat(leases.stored().holder()).isEmpty();

    pass(1);
    b.step();

    assertThat(b.told).containsExactly("begun");
    assertThat(leases.stored().holder()).isEqualTo("b");
  }

  @Test
  void theFirstOfAllWaitsWhereALeaderMayLive() {
    untouched = false;
    a.step();
    a.step();
    pass(14);
    a.step();
    assertThat(a.told).isEmpty();
    assertThat(leases.stored().holder()).isEmpty();

    pass(1);
    a.step();

    assertThat(a.told).containsExactly("begun");
    assertThat(leases.stored().holder()).isEqualTo("a");
  }

  @Test
  void aLeaderWhoseLeaseIsGoneEndsAndMakesNone() {
    lead(a);
    leases.delete();
    pass(2);
    a.step();
    a.step();

    assertThat(a.told).containsExactly("begun", "lost: lease was deleted");
    assertThat(leases.exists()).isFalse();
  }

  @Test
  void aLeaderWhoseLeaseAnotherMadeEnds() {
    lead(a);
    leases.delete();
    b.step();
    pass(2);
    a.step();
    a.step();

    assertThat(b.told).isEmpty();
    assertThat(a.told).containsExactly("begun", "lost: lease is held by ");
  }

  @Test
  void theNextEpochIsHigherThanThatOfTheLeaseThatWasSeen() {
    leases.put(new LeaseStore.Holding("x", 40, 7, ""));
    a.step();
    leases.delete();
    a.step();

    assertThat(leases.stored().transitions()).isEqualTo(8);
    assertThat(leases.stored().seconds()).as("as long as x may write").isEqualTo(40);
  }

  static List<Integer> seeds() {
    return new Random(1).ints(300, 0, Integer.MAX_VALUE).boxed().toList();
  }

  /** Ten minutes of deletions, lost answers and slow calls, in steps of a tenth of a second. */
  @ParameterizedTest
  @MethodSource("seeds")
  void atNoTimeDoTwoAct(int seed) {
    Random random = new Random(seed);
    int deleteOneIn = random.nextInt(50, 600);
    for (int tick = 0; tick < 6000; tick++) {
      nanos.addAndGet(Duration.ofMillis(100).toNanos());
      if (random.nextInt(deleteOneIn) == 0) {
        leases.delete();
      }
      for (Candidate one : living()) {
        disturb(one, random);
        one.write();
        if (nanos.get() >= one.nextStep) {
          one.step();
        }
      }
    }
    assertThat(epochs).isNotEmpty().isSorted().doesNotHaveDuplicates();
  }

  /** Two, as installed: who ended is replaced. */
  private List<Candidate> living() {
    while (all.stream().filter(one -> !one.ended()).count() < 2) {
      Candidate unused = candidate("life-" + all.size());
    }
    return all.stream().filter(one -> !one.ended()).toList();
  }

  private void disturb(Candidate one, Random random) {
    if (random.nextInt(100) == 0) {
      one.connection.fault = FAULTS.get(random.nextInt(FAULTS.size()));
    }
    one.connection.meanwhile = random.nextInt(50) == 0 ? () -> pass(random.nextInt(4)) : () -> {};
  }
}
