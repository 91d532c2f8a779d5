package io.gpudra.controller.app;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.check.NodeCheck;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Periodically counts nodes, and reports findings and claims that are held too long. Run by one
 * thread; gauges and findings are those of the last run.
 */
final class ClusterStats {
  /** Kinds that are normal for a while after pods and nodes end. */
  private static final ImmutableSet<Kind> USUAL_AT_FIRST =
      ImmutableSet.of(Kind.DRAINING, Kind.ORPHANED, Kind.NODE_GONE);

  /** Kinds whose events are sent here; others have events on change, or on waiting pods. */
  private static final ImmutableSet<Kind> REPORTED_HERE =
      ImmutableSet.of(
          Kind.DRAINING,
          Kind.ORPHANED,
          Kind.NODE_GONE,
          Kind.DEVICE_LOST,
          Kind.DEVICE_UNHEALTHY,
          Kind.SHARING_WAITS,
          Kind.CLAIM_OVERDUE);

  private final ReportSink reports;
  private final Predicate<PreparedClaim> exists;
  private final Consumer<DoubleGrant> twice;
  private final Function<ImmutableList<NodeLedger>, ImmutableList<Finding>> overdue;
  private final Map<Finding.Identity, Long> since = new HashMap<>();

  /** Findings by claim; each node has its own. */
  private ImmutableListMultimap<ClaimUid, Finding> orphans = ImmutableListMultimap.of();

  private volatile Counts last = new Counts(0, 0);
  private volatile ImmutableList<Finding> findings = ImmutableList.of();

  private record Counts(int nodes, int serving) {}

  /**
   * @param exists whether the API server still has this claim
   * @param twice receives every device that is allocated twice, at each run
   * @param overdue finds claims that are held too long
   */
  ClusterStats(
      ReportSink reports,
      Predicate<PreparedClaim> exists,
      Consumer<DoubleGrant> twice,
      Function<ImmutableList<NodeLedger>, ImmutableList<Finding>> overdue,
      MetricRegistry metrics) {
    this.reports = reports;
    this.exists = exists;
    this.twice = twice;
    this.overdue = overdue;
    gauge(metrics, "nodes.withInventory", Counts::nodes);
    gauge(metrics, "nodes.serving", Counts::serving);
    NodeCheck.KINDS.forEach(kind -> findingsOf(metrics, kind));
    findingsOf(metrics, Kind.CLAIM_OVERDUE);
  }

  private void gauge(MetricRegistry metrics, String name, ToIntFunction<Counts> count) {
    metrics.register(name, (Gauge<Integer>) () -> count.applyAsInt(last));
  }

  private void findingsOf(MetricRegistry metrics, Kind kind) {
    metrics.register(
        "findings." + kind.label(),
        (Gauge<Long>) () -> findings.stream().filter(found -> found.kind() == kind).count());
  }

  /** The findings, without those that are normal for a while. */
  ImmutableList<Finding> findings() {
    return findings;
  }

  /**
   * Runs once.
   *
   * @param nanos monotonic time
   */
  void update(ImmutableList<NodeLedger> ledgers, long nanos) {
    ImmutableList<NodeLedger> published =
        ledgers.stream()
            .filter(ledger -> !(ledger.inventory().service() instanceof Service.Absent))
            .collect(ImmutableList.toImmutableList());
    last =
        new Counts(published.size(), (int) published.stream().filter(NodeLedger::serving).count());
    ledgers.stream().filter(NodeLedger::serving).forEach(this::reportReturned);
    findings = lasting(ledgers, nanos);
    findings.stream().filter(found -> REPORTED_HERE.contains(found.kind())).forEach(this::warn);
    ledgers.stream().flatMap(ClusterStats::doubleGrants).forEach(twice);
  }

  private static Stream<DoubleGrant> doubleGrants(NodeLedger ledger) {
    return FaultIsolation.evaluate(() -> ledger.doubleGrants().stream(), why -> Stream.empty());
  }

  private ImmutableList<Finding> lasting(ImmutableList<NodeLedger> ledgers, long nanos) {
    ImmutableList<Finding> now =
        Stream.concat(
                ledgers.stream().flatMap(ledger -> NodeCheck.of(ledger, exists).stream()),
                overdue.apply(ledgers).stream())
            .collect(ImmutableList.toImmutableList());
    Set<Finding.Identity> there = now.stream().map(Finding::identity).collect(Collectors.toSet());
    since.keySet().retainAll(there);
    orphans =
        now.stream()
            .filter(found -> found.kind() == Kind.ORPHANED)
            .flatMap(found -> found.claims().keySet().stream().map(uid -> Map.entry(uid, found)))
            .collect(
                ImmutableListMultimap.toImmutableListMultimap(
                    Map.Entry::getKey, Map.Entry::getValue));
    there.forEach(finding -> since.putIfAbsent(finding, nanos));
    return now.stream()
        .filter(found -> !USUAL_AT_FIRST.contains(found.kind()) || tooLong(found, nanos))
        .collect(ImmutableList.toImmutableList());
  }

  private boolean tooLong(Finding found, long nanos) {
    long age = nanos - since.getOrDefault(found.identity(), nanos);
    return age > ControllerDelays.MAX_DRAINING.toNanos();
  }

  /**
   * Reports devices of deleted claims that a node has released by itself, since nodes may not write
   * events. The claim stays listed, since its kubelet considers it prepared.
   */
  private void reportReturned(NodeLedger ledger) {
    for (PreparedClaim claim : ledger.inventory().prepared()) {
      if (claim.parts().isEmpty()) {
        orphans.get(claim.uid()).stream()
            .filter(orphan -> orphan.node().equals(ledger.node()))
            .forEach(orphan -> reports.warnOfNode(ledger.node(), cameHome(claim, orphan)));
      }
    }
  }

  private static Warning cameHome(PreparedClaim claim, Finding orphan) {
    return new Warning(
        new Subject.OnClaim(claim.ref(), claim.uid()),
        "DevicesTakenBack",
        ImmutableSet.of(orphan.node()),
        "%s of node %s: the kubelet had lost the claim, and no pod that could use it was left"
            .formatted(String.join(", ", orphan.devices()), orphan.node()));
  }

  /** Warns about the node's report, except about problems that a tenant causes. */
  private void warn(Finding found) {
    found.claims().forEach((uid, ref) -> warn(found, new Subject.OnClaim(ref, uid)));
  }

  private void warn(Finding found, Subject claim) {
    if (found.kind() == Kind.CLAIM_OVERDUE) {
      reports.warn(warning(found, claim));
    } else {
      reports.warnOfNode(found.node(), warning(found, claim));
    }
  }

  private static Warning warning(Finding found, Subject subject) {
    return new Warning(
        subject,
        found.kind().label(),
        ImmutableSet.of(found.node(), found.devices().toString()),
        found.devices().isEmpty()
            ? found.message()
            : "%s of node %s: %s"
                .formatted(String.join(", ", found.devices()), found.node(), found.message()));
  }
}
