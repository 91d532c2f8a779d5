package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.http.RequestLog.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The controller with all its parts, beside an API server in the same process. */
class ControllerLifecycleTest {

  private final List<Running> started = new ArrayList<>();
  private UnaryOperator<ControllerComponents> changed =
      controllerComponents -> controllerComponents;
  private Path directory;
  private Cluster cluster;

  private final class Running {
    final MetricRegistry metrics = new MetricRegistry();
    final List<String> ends = Collections.synchronizedList(new ArrayList<>());
    final HttpClients http;
    final ControllerComponents controllerComponents;
    final ControllerLifecycle controller;

    Running(String identity, String... more) throws IOException {
      ControllerOptions options = new ControllerOptions();
      List<String> args =
          Lists.newArrayList(
              "--kubeconfig=" + cluster.kubeconfig(directory),
              "--namespace=gpudra",
              "--lease-duration=2s",
              "--renew-deadline=1500ms",
              "--retry-period=100ms",
              "--workers=2");
      Collections.addAll(args, more);
      new CommandLine(options).parseArgs(args.toArray(String[]::new));
      http = HttpClients.connect(options.kubeconfig(), options.apiTimeout(), metrics);
      controllerComponents =
          changed.apply(
              new ControllerAssembly(options, http, metrics)
                  .wire(identity, 30, why -> ends.add("lost: " + why)));
      controller =
          new ControllerLifecycle(
              controllerComponents, options.workers, failure -> ends.add("broken"));
      controller.start();
      started.add(this);
    }

    boolean leads() {
      return Integer.valueOf(1).equals(metrics.gauge("election.leading").getValue());
    }
  }

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Running running : started) {
      boolean unused = running.controller.stop();
      running.http.close();
    }
    cluster.close();
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
  }

  @Test
  void anImmediateClaimIsAllocated() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    Running running = new Running("a");

    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    assertThat(cluster.handle("one").orElseThrow())
        .contains("\"node\":\"worker-1\"")
        .contains("\"uuid\":\"GPU-");
    assertThat(running.ends).isEmpty();
    assertThat(running.controller.vitals().synced()).isTrue();
    assertThat(running.controller.vitals().electing()).isTrue();
    assertThat(running.controllerComponents.evictor()).as("nobody asked for it").isEmpty();
    assertThat(running.controllerComponents.gates()).as("nor for this").isEmpty();
    assertThat(new ControllerHealth(running.controller::vitals).ailments()).isEmpty();
    assertThat(new ControllerHealth(running.controller::vitals).hindrances()).isEmpty();
  }

  @Test
  void aPodAtItsGateIsGrantedAndLosesIt() throws IOException {
    cluster.addNode("worker-1");
    cluster.addGatedPod("gated");
    Running running = new Running("a", "--gates");

    await("the gate's end", () -> !cluster.isGated("gated"));

    assertThat(cluster.handle("gated").orElseThrow()).contains("\"node\":\"worker-1\"");
    await("the count", () -> running.metrics.counter("gates.granted").getCount() == 1);
    assertThat(running.ends).isEmpty();
  }

  @Test
  void aQuotaLimitsWhatIsAllocatedAndItsStatusSaysSo() throws IOException {
    cluster.addNode("worker-1");
    cluster.limit(1);
    cluster.claimImmediately("one");
    Running unused = new Running("a");
    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    cluster.claimImmediately("two");

    await("a claim that waits", () -> cluster.statusOfQuota().path("waitingClaims").asInt() == 1);
    assertThat(cluster.statusOfQuota().at("/used/gpus").asText()).isEqualTo("1");
    assertThat(cluster.statusOfQuota().at("/conditions/0/reason").asText()).isEqualTo("ClaimsWait");
    await("the event", () -> !cluster.warnings("two").isEmpty());
    assertThat(cluster.warnings("two"))
        .containsExactly("QuotaExceeded: quota \"team\": gpus 1 of 1 in use, 1 more wanted");
    cluster.deleteClaim("one");
    await("the other claim's allocation", () -> cluster.handle("two").isPresent());
    await("the end", () -> cluster.statusOfQuota().path("waitingClaims").asInt() == 0);
  }

  private static boolean knows(Running running, String node) {
    Service service = running.controllerComponents.ledgers().ledger(node).inventory().service();
    return !(service instanceof Service.Absent);
  }

  @Test
  void aClaimOfANodeThatIsGoneCanBeDeleted() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    Running running = new Running("a");
    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    cluster.removeNode("worker-1");
    await("the node's end", () -> !knows(running, "worker-1"));
    cluster.deleteClaim("one");

    await("the claim's end", () -> !cluster.hasClaim("one"));
    assertThat(running.ends).isEmpty();
  }

  @Test
  void anImmediateClaimThatFitsNowhereSaysWhy() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    Running running = new Running("a");
    await("the first GPU granted", () -> cluster.handle("one").isPresent());
    cluster.claimImmediately("two");
    await("the second GPU granted", () -> cluster.handle("two").isPresent());
    cluster.claimImmediately("three");

    await("the event", () -> !cluster.warnings("three").isEmpty());

    assertThat(cluster.warnings("three"))
        .containsExactly(
            "NoFreeDevice: 0 of 1 node fits: 1 all matching GPUs in use; nearest: worker-1 2 GPUs,"
                + " both granted to default/one, default/two");
    assertThat(running.ends).isEmpty();
  }

  @Test
  void podsAreEvictedFromATaintedGpuWhereThatIsWanted() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    Running running = new Running("a", "--evict");
    await("the claim's allocation", () -> cluster.handle("one").isPresent());
    cluster.addPod("train", "one");
    cluster.addPod("other", "two");
    assertThat(cluster.ends("train")).isFalse();

    cluster.taint("worker-1", "fan swap");

    await("the eviction", () -> cluster.ends("train"));
    await("the event", () -> !cluster.warnings("train").isEmpty());
    assertThat(cluster.warnings("train")).hasSize(1);
    assertThat(cluster.warnings("train").get(0)).matches("Evicted: gpu-[01]: fan swap");
    assertThat(cluster.ends("other")).isFalse();
    assertThat(running.ends).isEmpty();
  }

  @Test
  void nothingIsWrittenBeforeEveryCacheIsFilled() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    cluster
        .server
        .faults()
        .inject(new Match("list", "podschedulingcontexts", ""), Fault.answer(500), 2);
    Running running = new Running("a");

    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    List<Entry> requests = cluster.server.requests().all();
    int firstWrite =
        Iterables.indexOf(
            requests,
            one -> one.verb().equals("patch") && one.resource().startsWith("resourceclaims"));
    assertThat(running.controller.vitals().silences().keySet())
        .contains("podschedulingcontexts", "resourceclaims", "resourceclasses")
        .allSatisfy(
            kind ->
                assertThat(requests.subList(0, firstWrite))
                    .as("listed before the first write")
                    .anyMatch(
                        one ->
                            one.verb().equals("list")
                                && one.resource().equals(kind)
                                && one.code() == 200));
  }

  @Test
  void aStandbyIsReadyAndWritesNothing() throws IOException {
    Running first = new Running("a");
    await("a leader", first::leads);
    Running second = new Running("b");
    await("a warm standby", () -> second.controller.vitals().synced());
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    cluster.nameAllDevicesAlike("worker-1");
    await("the event", () -> !cluster.warnings("worker-1").isEmpty());

    assertThat(second.leads()).isFalse();
    assertThat(second.metrics.getCounters().keySet())
        .noneMatch(name -> name.matches(".*(POST|PUT|PATCH).*"));
  }

  @Test
  void aReplicaWhoseWatchIsRefusedSaysSo() throws IOException {
    Running running = new Running("a");
    await("its caches", () -> running.controller.vitals().synced());

    cluster.server.faults().inject(new Match("", "nodes", ""), Fault.answer(403), 1_000_000);
    cluster.server.faults().cutWatches();

    await(
        "the refusal",
        () ->
            new ControllerHealth(running.controller::vitals)
                .hindrances().stream()
                    .anyMatch(why -> why.contains("nodes") && why.contains("403")));
  }

  @Test
  void aCleanStopHandsTheWorkOn() throws IOException, InterruptedException {
    cluster.addNode("worker-1");
    Running first = new Running("a");
    await("a leader", first::leads);
    Running second = new Running("b");
    await("a warm standby", () -> second.controller.vitals().synced());
    cluster.claimImmediately("one");
    await("the first allocation", () -> cluster.handle("one").isPresent());

    assertThat(first.controller.stop()).isTrue();
    cluster.claimImmediately("two");
    await("the second allocation", () -> cluster.handle("two").isPresent());

    assertThat(cluster.leaseHolder()).isEqualTo("b");
    assertThat(device("two")).isNotEqualTo(device("one"));
    assertThat(first.ends).isEmpty();
    assertThat(new ControllerHealth(first.controller::vitals).hindrances()).contains("stopping");
  }

  private String device(String claim) {
    return cluster.handle(claim).orElseThrow().replaceAll(".*(GPU-[01]).*", "$1");
  }

  @Test
  void aLeaderThatCannotRenewIsLostAndAnotherWorks() throws IOException {
    cluster.addNode("worker-1");
    Running first = new Running("a");
    await("a leader", first::leads);
    cluster
        .server
        .faults()
        .inject(new Match("update", "leases", ""), Fault.answer(500), Duration.ofSeconds(3));

    await("the loss", () -> !first.ends.isEmpty());

    assertThat(first.ends.get(0)).startsWith("lost: could not renew for");
    Running second = new Running("b");
    cluster.claimImmediately("one");
    await("the claim's allocation", () -> cluster.handle("one").isPresent());
    assertThat(second.leads()).isTrue();
    assertThat(cluster.handle("one").orElseThrow()).contains("\"epoch\":2");
  }

  @Test
  void theFenceIsTriedUntilItStands() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");
    Running running = new Running("a");
    await("filled caches", () -> running.controller.vitals().synced());
    cluster.server.faults().inject(new Match("list", "resourceclaims", ""), Fault.answer(500), 2);

    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    assertThat(running.ends).isEmpty();
  }

  /** The same with a count of nodes that always fails. */
  private static ControllerComponents uncountable(
      ControllerComponents controllerComponents, Runnable counted) {
    ClusterStats clusterStats =
        new ClusterStats(
            new Quiet(),
            claim -> true,
            twice -> {},
            ledgers -> {
              counted.run();
              throw new IllegalStateException("worse than anybody thought");
            },
            new MetricRegistry());
    return new ControllerComponents(
        controllerComponents.leadershipState(),
        controllerComponents.election(),
        controllerComponents.cluster(),
        controllerComponents.requeuer(),
        controllerComponents.ledgers(),
        controllerComponents.alerts(),
        controllerComponents.writes(),
        controllerComponents.engine(),
        controllerComponents.claims(),
        controllerComponents.contexts(),
        clusterStats,
        controllerComponents.parameters(),
        controllerComponents.quotas(),
        controllerComponents.gpuStatistics(),
        controllerComponents.gpuTimeMeter(),
        controllerComponents.gates(),
        controllerComponents.evictor(),
        controllerComponents.admission());
  }

  private record Quiet() implements ReportSink {
    @Override
    public void warn(Warning warning) {}

    @Override
    public void refused(UnsuitableReason.Kind kind) {}
  }

  @Test
  void aCountOfNodesThatFailsEndsNothingElse() throws IOException {
    AtomicInteger counts = new AtomicInteger();
    changed = controllerComponents -> uncountable(controllerComponents, counts::incrementAndGet);
    cluster.addNode("worker-1");
    Running running = new Running("a");
    await("the count", () -> counts.get() > 0);
    cluster.claimImmediately("one");

    await("the claim's allocation", () -> cluster.handle("one").isPresent());

    assertThat(running.ends).isEmpty();
  }

  @Test
  void stoppingBeforeLeadingIsQuick() throws IOException, InterruptedException {
    Running first = new Running("a");
    await("a leader", first::leads);
    Running second = new Running("b");
    await("a warm standby", () -> second.controller.vitals().synced());

    assertThat(second.controller.stop()).isTrue();
    assertThat(cluster.leaseHolder()).isEqualTo("a");
    assertThat(second.ends).isEmpty();
  }
}
