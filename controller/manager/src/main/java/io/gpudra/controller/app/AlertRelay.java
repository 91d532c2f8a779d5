package io.gpudra.controller.app;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes notifications of driver and ledgers on to waiting claims, events and metrics. */
final class AlertRelay implements GpuAlerts, LedgerListener {
  private static final Logger LOG = LoggerFactory.getLogger(AlertRelay.class);

  private static final int MAX_TOLD = 1_000;

  private final Requeuer requeuer;
  private final ReportSink reports;
  private final Consumer<ClaimUid> onHoldsGone;
  private final BiConsumer<NodeLedger, ClaimUid> released;
  private final Meter unreadableHandles;
  private final Meter strayHandles;
  private final Meter failedConditions;
  private final Meter brokenConditions;
  private final Meter doubleGrants;
  private final Meter lostSearches;

  /** Devices in double grants since the last count, which tells what lasts. */
  private final Cache<NodeDevice, Boolean> told =
      CacheBuilder.newBuilder()
          .maximumSize(MAX_TOLD)
          .expireAfterWrite(ControllerDelays.COUNT_ROUND)
          .build();

  private record NodeDevice(String node, String uuid) {}

  /**
   * @param onHoldsGone receives claims that no longer hold devices of a node
   * @param released receives claims that a node has released, with the ledger before the release
   */
  AlertRelay(
      Requeuer requeuer,
      ReportSink reports,
      Consumer<ClaimUid> onHoldsGone,
      BiConsumer<NodeLedger, ClaimUid> released,
      MetricRegistry metrics) {
    this.requeuer = requeuer;
    this.reports = reports;
    this.onHoldsGone = onHoldsGone;
    this.released = released;
    this.unreadableHandles = metrics.meter("alerts.unreadableHandle");
    this.strayHandles = metrics.meter("alerts.strayHandle");
    this.failedConditions = metrics.meter("alerts.conditionFailed");
    this.brokenConditions = metrics.meter("alerts.conditionBroken");
    this.doubleGrants = metrics.meter("alerts.doubleGrant");
    this.lostSearches = metrics.meter("alerts.searchLost");
  }

  @Override
  public void freed(String node, int devices) {
    requeuer.freed(node, devices);
  }

  @Override
  public void nameReleased(String node, ClaimRef claim) {
    requeuer.nameReleased(node, claim);
  }

  @Override
  public void holdsGone(ClaimUid claim) {
    onHoldsGone.accept(claim);
  }

  @Override
  public void released(NodeLedger had, ClaimUid claim) {
    released.accept(had, claim);
    requeuer.limitsEased(had.ref(claim).namespace());
  }

  /** A node decides how often its devices become double grants. */
  @Override
  public void grantedTwice(DoubleGrant twice) {
    doubleGrants.mark();
    NodeDevice device = new NodeDevice(twice.node(), twice.deviceUuid());
    if (told.asMap().putIfAbsent(device, true) == null) {
      LOG.error(
          "device allocated twice node={} device={} claims={}",
          twice.node(),
          twice.deviceUuid(),
          twice.claims().values());
      reportGrantedTwice(twice);
    }
  }

  /**
   * Repeated as long as it lasts: the first event may have been lost, or sent before this process
   * led.
   */
  void reportGrantedTwice(DoubleGrant twice) {
    ImmutableSet<ClaimRef> all = ImmutableSet.copyOf(twice.claims().values());
    ImmutableSet<String> causes = ImmutableSet.of(twice.deviceUuid(), all.toString());
    twice
        .claims()
        .forEach(
            (uid, ref) ->
                reports.warnOfNode(
                    twice.node(),
                    new Warning(
                        new Subject.OnClaim(ref, uid),
                        "DeviceGrantedTwice",
                        causes,
                        () -> text(twice, all, ref),
                        MemoryBudget.ENTRY)));
  }

  private static String text(DoubleGrant twice, ImmutableSet<ClaimRef> all, ClaimRef reader) {
    return "%s of node %s is allocated to %s; delete the pods of all but one of them"
        .formatted(
            twice.deviceUuid(),
            twice.node(),
            new NamespaceAudience(reader.namespace()).describe(all));
  }

  @Override
  public void surplusFound(ClaimRef claim) {
    requeuer.surplusFound(claim);
  }

  @Override
  public void unreadableHandle(
      ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
    unreadableHandles.mark();
    String consequence =
        node.map(name -> "no new allocations on node " + name + " while the claim is allocated")
            .orElse("its node is unknown, only the node's plugin protects its devices");
    reports.warn(
        new Warning(
            new Subject.OnClaim(ref, claim),
            "UnreadableHandle",
            ImmutableSet.of(problem),
            problem + "; " + consequence));
  }

  @Override
  public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
    strayHandles.mark();
    reports.warn(
        new Warning(
            new Subject.OnClaim(ref, claim),
            "StrayHandle",
            ImmutableSet.of(grant.claim().value()),
            "the handle belongs to the claim with UID %s; node %s will not prepare it for this one"
                .formatted(grant.claim(), grant.node())));
  }

  @Override
  public void searchLost(ClaimRef ref) {
    lostSearches.mark();
    LOG.warn("nodes change faster than they are searched, tried again later claim={}", ref);
  }

  @Override
  public void conditionFailed(String expression, String problem) {
    failedConditions.mark();
    LOG.debug("condition failed expression={} why={}", expression, problem);
  }

  @Override
  public void conditionBroken(String expression, String result) {
    brokenConditions.mark();
    LOG.error("condition is not boolean expression={} result={}", expression, result);
  }
}
