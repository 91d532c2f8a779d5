package io.gpudra.controller.app;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ascii;
import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.app.GateComponents.GroupParts;
import io.gpudra.controller.check.OverdueClaims;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.election.KubeLeaseStore;
import io.gpudra.controller.client.election.LeaderElection;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.eviction.Evictor;
import io.gpudra.controller.eviction.Evictor.Cluster.Answer;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.group.GroupHolds;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.kube.KubeCluster;
import io.gpudra.controller.kube.KubeGatedPods;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.metrics.ClaimDemandTimes;
import io.gpudra.controller.metrics.GpuSeconds;
import io.gpudra.controller.metrics.GpuStatistics;
import io.gpudra.controller.metrics.GpuTimeMeter;
import io.gpudra.controller.metrics.QuotaStatistics;
import io.gpudra.controller.metrics.WaitTimers;
import io.gpudra.controller.metrics.WaitingClaimCounts;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.status.QuotaStatusWriter;
import io.gpudra.controller.status.ParametersLoop;
import io.gpudra.controller.webhook.AdmissionHandler;
import io.gpudra.controller.webhook.AdmissionValidators;
import io.gpudra.controller.webhook.GateAdmission;
import io.gpudra.controller.webhook.InventoryAdmission;
import io.gpudra.controller.webhook.KubeNodesOfPods;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Creates and connects all components; only this class knows the implementations of ports. */
final class ControllerAssembly {
  /** The annotation of the lease with the time until which GPU time is counted. */
  private static final String COUNTED_UNTIL = GpuApi.GROUP + "/counted-until";

  private final ControllerOptions options;
  private final HttpClients http;
  private final Clock clock = Clock.systemUTC();
  private final MetricRegistry metrics;

  ControllerAssembly(ControllerOptions options, HttpClients http, MetricRegistry metrics) {
    this.options = options;
    this.http = http;
    this.metrics = metrics;
  }

  /**
   * Creates all components without starting them.
   *
   * @param identity of this process in the lease
   * @param serverMinor 28 for Kubernetes 1.28
   * @param halt ends the process at once, since another leader may write already
   */
  ControllerComponents wire(String identity, int serverMinor, Consumer<String> halt) {
    GpuSeconds seconds = new GpuSeconds(clock, System::nanoTime);
    LeadershipState leadership = new LeadershipState(halt, seconds);
    LeaderElection election = election(identity, leadership);
    KubeSettings settings = new KubeSettings(options.driverName, serverMinor, clock);
    KubeCluster cluster = new KubeCluster(http, settings, election::mayWrite, metrics);
    Requeuer requeuer = new Requeuer(System::nanoTime, RandomGenerator.getDefault());
    WaitTimers reports = new WaitTimers(cluster.reports(), clock, System::nanoTime, metrics);
    QuotaBook quotas = new QuotaBook((ref, claim) -> className(cluster, ref, claim));
    Ledgers ledgers = ledgers(cluster, quotas, requeuer);
    GpuTimeMeter meter = metering(cluster, ledgers, seconds, reports, election);
    AlertRelay alerts =
        new AlertRelay(requeuer, reports, reports::holdsGone, meter::released, metrics);
    Supplier<GrantAudit> audit = () -> new GrantAudit(leadership.epoch(), clock.instant());
    GpuDriver driver = new GpuDriver(options.driverName, cluster, ledgers, audit, alerts);
    ExecutorService writes = writes();
    EngineParts<GpuRequest> parts =
        EngineParts.of(driver, ports(cluster, reports), requeuer, writes, System::nanoTime);
    Optional<KubeGatedPods> gatedPods = gatedPods(settings, election, requeuer);
    ProtocolEngine engine = engine(parts, ledgers, heldBack(gatedPods));
    return new ControllerComponents(
        leadership,
        election,
        cluster,
        requeuer,
        ledgers,
        alerts,
        writes,
        engine,
        new WorkLoop("claims", requeuer.claimKeys(), engine.claims(), metrics),
        new WorkLoop("contexts", requeuer.contextKeys(), engine.contexts(), metrics),
        census(cluster, reports, alerts),
        statusOfParameters(cluster, ledgers, alerts),
        statusOfQuotas(cluster, quotas, requeuer, election),
        figures(cluster, requeuer, election),
        meter,
        gates(parts, gatedPods, groups(ledgers, audit, requeuer, writes, alerts)),
        evictor(ledgers, new TaintEvictions(cluster, driver), election),
        admission(driver, cluster));
  }

  private static Ledgers ledgers(KubeCluster cluster, QuotaBook quotas, Requeuer requeuer) {
    Ledgers ledgers = new Ledgers(quotas, System::nanoTime);
    cluster.quotas().setListener(limits(quotas, ledgers, requeuer));
    return ledgers;
  }

  private Optional<KubeGatedPods> gatedPods(
      KubeSettings settings, LeaderElection election, Requeuer requeuer) {
    return options.gates
        ? Optional.of(new KubeGatedPods(http, settings, election::mayWrite, requeuer))
        : Optional.empty();
  }

  private static Predicate<PodFacts> heldBack(Optional<KubeGatedPods> gatedPods) {
    return gatedPods.<Predicate<PodFacts>>map(GroupHolds::new).orElse(pod -> false);
  }

  private ProtocolEngine engine(
      EngineParts<GpuRequest> parts, Ledgers ledgers, Predicate<PodFacts> heldBack) {
    ProtocolEngine engine = new ProtocolEngine(parts, System::nanoTime, heldBack);
    engine.entries().forEach(this::entries);
    entries("heldClaims", ledgers::heldClaims);
    return engine;
  }

  private GroupParts<GpuRequest> groups(
      Ledgers ledgers,
      Supplier<GrantAudit> audit,
      Requeuer requeuer,
      ExecutorService writes,
      GpuAlerts alerts) {
    GroupTurns turns =
        new GroupTurns(
            ledgers,
            new GroupTurns.Times(options.groupPatience, options.groupHold),
            System::nanoTime,
            clock::instant,
            requeuer::wakeAfter);
    return new GroupParts<>(
        new GpuGroupPlacer(ledgers, audit, turns, alerts::searchLost), turns, writes);
  }

  private Optional<GateComponents> gates(
      EngineParts<GpuRequest> parts,
      Optional<KubeGatedPods> pods,
      GroupParts<GpuRequest> ofGroups) {
    GateComponents.registerOutcomes(metrics);
    if (pods.isEmpty()) {
      GateComponents.registerGroups(metrics, size -> 0);
      GateComponents.registerPods(metrics, () -> 0);
      GateComponents.registerHold(metrics, Optional::empty);
    }
    return pods.map(
        found -> GateComponents.of(parts, found, options.gatePatience, ofGroups, metrics));
  }

  private static Optional<String> className(KubeCluster cluster, ClaimRef ref, ClaimUid claim) {
    return cluster
        .claims()
        .get(ref)
        .filter(now -> now.uid().equals(claim))
        .map(ClaimFacts::className);
  }

  /** Limits count before the claims that they let pass are tried again. */
  private static BiConsumer<String, ImmutableList<QuotaLimit>> limits(
      QuotaBook quotas, Ledgers ledgers, Requeuer requeuer) {
    return (namespace, limits) -> {
      ledgers.withAll(all -> quotas.limits(namespace, limits, all));
      requeuer.limitsEased(namespace);
    };
  }

  private AdmissionHandler admission(GpuDriver driver, KubeCluster cluster) {
    Optional<GateAdmission> gates =
        options.gates
            ? Optional.of(new GateAdmission(new GateName(options.driverName)))
            : Optional.empty();
    return new AdmissionHandler(
        AdmissionValidators.of(
            driver,
            cluster.classes(),
            cluster,
            new InventoryAdmission(new KubeNodesOfPods(http)),
            gates),
        Executors.newScheduledThreadPool(1, daemons("second-look-%d")),
        outcome -> metrics.counter("webhook." + outcome).inc());
  }

  private static ThreadFactory daemons(String names) {
    return new ThreadFactoryBuilder().setNameFormat(names).setDaemon(true).build();
  }

  private GpuTimeMeter metering(
      KubeCluster cluster,
      Ledgers ledgers,
      GpuSeconds seconds,
      ReportSink reports,
      LeaderElection election) {
    return new GpuTimeMeter(
        new GpuTimeMeter.Cluster(ledgers::snapshot, cluster.claims()::get),
        seconds,
        reports,
        election::leading,
        clock,
        metrics);
  }

  private ClusterStats census(KubeCluster cluster, ReportSink reports, AlertRelay alerts) {
    OverdueClaims overdue = new OverdueClaims(cluster.claims()::get, cluster.classes(), cluster);
    return new ClusterStats(
        reports,
        claim -> exists(cluster, claim),
        alerts::reportGrantedTwice,
        all -> overdue.of(all, clock.instant()),
        metrics);
  }

  private Optional<Evictor> evictor(
      Ledgers ledgers, TaintEvictions users, LeaderElection election) {
    for (Answer answer : Answer.values()) {
      evictions(answer);
    }
    Evictor evictor =
        new Evictor(
            ledgers::snapshot,
            users,
            election::mayWrite,
            clock,
            Ticker.systemTicker(),
            new Evictor.Sinks(users.cluster().reports(), answer -> evictions(answer).inc()));
    return Optional.of(evictor).filter(unused -> options.evict);
  }

  private Counter evictions(Answer answer) {
    return metrics.counter("evictions." + Ascii.toLowerCase(answer.name()));
  }

  private ParametersLoop statusOfParameters(
      KubeCluster cluster, Ledgers ledgers, AlertRelay alerts) {
    ParametersReader reader = new ParametersReader(options.driverName, alerts);
    Supplier<ImmutableList<Inventory>> nodes =
        () ->
            ledgers.snapshot().stream()
                .map(NodeLedger::inventory)
                .collect(ImmutableList.toImmutableList());
    return new ParametersLoop(
        new ParametersLoop.Cluster(options.driverName, reader, cluster.parameters(), nodes),
        clock,
        metrics);
  }

  private QuotaStatusWriter statusOfQuotas(
      KubeCluster cluster, QuotaBook quotas, Requeuer requeuer, LeaderElection election) {
    new QuotaStatistics(quotas::uses, requeuer.waitQueue()::limited, election::mayWrite)
        .register(metrics);
    return new QuotaStatusWriter(
        cluster.quotas(),
        new QuotaStatusWriter.Sums(quotas::uses, requeuer.waitQueue()::limited),
        election::mayWrite,
        clock::instant);
  }

  private void entries(String what, IntSupplier size) {
    entries(metrics, what, size);
  }

  static void entries(MetricRegistry metrics, String what, IntSupplier size) {
    metrics.register("entries." + what, (Gauge<Integer>) size::getAsInt);
  }

  private static boolean exists(KubeCluster cluster, PreparedClaim claim) {
    return cluster
        .claims()
        .get(claim.ref())
        .filter(now -> now.uid().equals(claim.uid()))
        .isPresent();
  }

  private LeaderElection election(String identity, LeaderElection.Terms terms) {
    return new LeaderElection(
        new KubeLeaseStore(http, options.namespace, options.leaseName(), COUNTED_UNTIL, clock),
        identity,
        options.timing(),
        System::nanoTime,
        terms,
        metrics);
  }

  /** Every worker may write several claims at once. */
  private ExecutorService writes() {
    return Executors.newFixedThreadPool(2 * options.workers, daemons("write-%d"));
  }

  private static ProtocolEngine.Ports ports(KubeCluster cluster, ReportSink reports) {
    return new ProtocolEngine.Ports(
        cluster.claims(), cluster.contexts(), cluster.pods(), cluster.classes(), reports);
  }

  private GpuStatistics figures(KubeCluster cluster, Requeuer requeuer, LeaderElection election) {
    ClaimDemandTimes claimDemandTimes =
        new ClaimDemandTimes(
            requeuer::wantedBy, cluster.contexts(), cluster.classes(), options.driverName);
    return new GpuStatistics(
        options.nodePoolLabel,
        election::mayWrite,
        new WaitingClaimCounts(cluster::unallocatedClaims, claimDemandTimes::since, clock),
        metrics);
  }
}
