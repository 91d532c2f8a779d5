package io.gpudra.controller.client.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.election.LeaseStore.Holding;
import io.gpudra.controller.client.election.LeaseStore.Lease;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.ApiServer;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KubeLeaseStoreTest {
  private static final String WORD = "example.com/word";

  private final ObjectServer objects =
      new ObjectServer(Clock.systemUTC(), RandomGenerator.getDefault());
  private final ApiServer server = ApiServer.start(objects, 0);
  private final HttpClients http =
      HttpClients.plain(server.url().toString(), Duration.ofSeconds(10), new MetricRegistry());
  private Instant now = Instant.parse("2026-11-21T08:00:00Z");
  private final InstantSource wallClock = () -> now;
  private final LeaseStore leases =
      new KubeLeaseStore(http, "default", "x", WORD, wallClock.withZone(ZoneOffset.UTC));

  private final AtomicLong nanos = new AtomicLong();

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private ObjectNode stored() {
    return objects.get(Resource.LEASES, "default", "x").orElseThrow();
  }

  @Test
  void aLeaseIsMadeReplacedAndRead() throws IOException {
    assertThat(leases.read()).isEmpty();

    Lease made = leases.create(15, 0).orElseThrow();
    assertThat(leases.read()).contains(made);
    assertThat(made.holder()).isEmpty();
    assertThat(made.released()).isFalse();
    Lease replaced = leases.replace(made, new Holding("b", 20, 1, "")).orElseThrow();

    assertThat(replaced.version()).isNotEqualTo(made.version());
    assertThat(replaced.holder()).isEqualTo("b");
    assertThat(replaced.seconds()).isEqualTo(20);
    assertThat(replaced.transitions()).isEqualTo(1);
    assertThat(stored().at("/spec/renewTime").asText()).isEqualTo("2026-11-21T08:00:00.000000Z");
  }

  @Test
  void theMarkIsMadeOnceAndOutlivesTheLease() throws IOException {
    assertThat(leases.mark()).isTrue();
    assertThat(leases.create(15, 0)).isPresent();
    objects.delete(Resource.LEASES, "default", "x", Optional.empty());

    assertThat(leases.mark()).isFalse();
  }

  @Test
  void aMarkThatTheServerDoesNotAnswerForIsNone() {
    server.close();

    assertThatThrownBy(leases::mark).isInstanceOf(IOException.class);
  }

  @Test
  void whoIsLateWritesNothing() throws IOException {
    Lease made = leases.create(15, 0).orElseThrow();
    assertThat(leases.create(15, 0)).isEmpty();
    Lease renewed = leases.replace(made, new Holding("a", 16, 0, "")).orElseThrow();

    assertThat(leases.replace(made, new Holding("b", 15, 1, ""))).isEmpty();
    assertThat(leases.read()).contains(renewed);
  }

  @Test
  void aLeaseThatIsGoneIsNotReplaced() throws IOException {
    Lease made = leases.create(15, 0).orElseThrow();
    objects.delete(Resource.LEASES, "default", "x", Optional.empty());

    assertThat(leases.replace(made, new Holding("a", 15, 0, ""))).isEmpty();
    assertThat(leases.read()).isEmpty();
  }

  @Test
  void theCountGoesOnWhenTheLeaseWasDeleted() throws IOException {
    Lease first = leases.create(15, 0).orElseThrow();
    Lease held =
        leases.replace(first, new Holding("a", 15, first.transitions() + 1, "")).orElseThrow();
    objects.delete(Resource.LEASES, "default", "x", Optional.empty());
    now = now.plusSeconds(2);

    assertThat(leases.create(15, 0).orElseThrow().transitions()).isGreaterThan(held.transitions());
    objects.delete(Resource.LEASES, "default", "x", Optional.empty());
    assertThat(leases.create(15, Integer.MAX_VALUE - 1).orElseThrow().transitions())
        .isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void anEmptyLeaseOfTheChartIsTakenAndItsLabelsStay() throws IOException {
    objects.create(
        Resource.LEASES,
        Json.parse(
            """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
             "metadata":{"namespace":"default","name":"x","labels":{"app":"y"}},"spec":{}}"""));

    Lease empty = leases.read().orElseThrow();
    assertThat(empty.holder()).isEmpty();
    assertThat(empty.seconds()).isZero();
    assertThat(leases.replace(empty, new Holding("a", 15, 1, ""))).isPresent();

    assertThat(stored().at("/metadata/labels/app").asText()).isEqualTo("y");
    assertThat(stored().at("/spec/acquireTime").isTextual()).isTrue();
  }

  @Test
  void theWordToTheNextHolderIsAnAnnotationBesideThoseOfOthers() throws IOException {
    objects.create(
        Resource.LEASES,
        Json.parse(
            """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
             "metadata":{"namespace":"default","name":"x","annotations":{"a":"b"}},"spec":{}}"""));
    Lease empty = leases.read().orElseThrow();
    assertThat(empty.word()).isEmpty();

    Lease held = leases.replace(empty, new Holding("a", 15, 1, "until noon")).orElseThrow();
    assertThat(stored().at("/metadata/annotations").toString())
        .isEqualTo("{\"a\":\"b\",\"example.com/word\":\"until noon\"}");
    assertThat(leases.replace(held, new Holding("b", 15, 2, ""))).isPresent();
    assertThat(leases.read().orElseThrow().word()).isEqualTo("until noon");
  }

  /** The times in the object are for people; who may lead is a matter of monotonic clocks. */
  @Test
  void aJumpOfTheWallClockEndsNoTermAndBeginsNone() {
    Candidate a = new Candidate("a");
    Candidate b = new Candidate("b");
    a.step();
    a.step();
    nanos.addAndGet(Duration.ofSeconds(15).toNanos());
    a.step();
    for (int days : new int[] {1, -2, 365}) {
      a.now = a.now.plus(Duration.ofDays(days));
      nanos.addAndGet(Duration.ofSeconds(2).toNanos());
      a.step();
      b.now = b.now.minus(Duration.ofDays(days));
      b.step();
      assertThat(a.election.mayWrite()).isTrue();
      assertThat(b.election.leading()).isFalse();
    }
    nanos.addAndGet(Duration.ofSeconds(15).toNanos() - 1);
    b.step();
    assertThat(b.election.leading()).isFalse();
    nanos.incrementAndGet();
    b.step();
    assertThat(b.election.leading()).isTrue();
    assertThat(a.election.mayWrite()).isFalse();
  }

  private final class Candidate implements LeaderElection.Terms {
    final LeaderElection election;
    Instant now = Instant.parse("2026-11-21T08:00:00Z");

    Candidate(String identity) {
      ElectionTiming timing =
          new ElectionTiming(
              Duration.ofSeconds(15),
              Duration.ofSeconds(10),
              Duration.ofSeconds(2),
              Duration.ofSeconds(4));
      InstantSource clock = () -> now;
      LeaseStore seen =
          new KubeLeaseStore(http, "default", "x", WORD, clock.withZone(ZoneOffset.UTC));
      election = new LeaderElection(seen, identity, timing, nanos::get, this, new MetricRegistry());
    }

    void step() {
      Duration unused = election.step();
    }

    @Override
    public void begun(long epoch) {}

    @Override
    public void lost(String why) {}
  }

  @Test
  void anyOtherAnswerIsAFailureThatNamesTheLease() {
    server.faults().inject(new Match("get", "leases", ""), Fault.answer(500), 1);

    assertThatThrownBy(leases::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("reading lease default/x: HTTP 500");
  }
}
