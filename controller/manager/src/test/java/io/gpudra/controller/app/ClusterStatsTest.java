package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ClusterStatsTest implements ReportSink {

  private static final PreparedClaim LEFT_OVER =
      GrantFixture.preparedWhole(new ClaimUid("u1"), new ClaimRef("team-a", "train"), "GPU-0");

  private final MetricRegistry metrics = new MetricRegistry();
  private final List<Warning> warnings = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private final List<ClaimUid> left = new ArrayList<>();
  private boolean claimsExist = true;
  private ImmutableList<Finding> overdue = ImmutableList.of();
  private final ClusterStats clusterStats =
      new ClusterStats(
          this,
          claim -> claimsExist,
          twice -> alerts().reportGrantedTwice(twice),
          unused -> overdue,
          metrics);
  private long nanos = -5;

  @Override
  public void warn(Warning warning) {
    warnings.add(warning);
  }

  @Override
  public void warnOfNode(String node, Warning warning) {
    nodes.add(node);
    warn(warning);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {
    throw new AssertionError("nobody was refused");
  }

  private static NodeFixture node() {
    return NodeFixture.node("worker-1").uuids("GPU-").gpus(2, GpuModels.T4);
  }

  private static NodeLedger ledger(Inventory.Service service, PreparedClaim... prepared) {
    return NodeLedger.of(node().prepared(prepared).service(service).inventory());
  }

  private NodeLedger granted(Inventory inventory, String device) {
    Ledgers ledgers = new Ledgers();
    ledgers.setListener(alerts());
    ledgers.observe(inventory);
    ledgers.observe(LEFT_OVER.ref(), LEFT_OVER.uid(), Optional.of(grant(LEFT_OVER.uid(), device)));
    return ledgers.ledger("worker-1");
  }

  private static Grant grant(ClaimUid claim, String device) {
    return GrantFixture.grant(claim, "worker-1", new GrantedDevice("gpu", device));
  }

  private AlertRelay alerts() {
    Requeuer requeuer = new Requeuer(System::nanoTime, RandomGenerator.getDefault());
    return new AlertRelay(requeuer, this, left::add, (had, claim) -> {}, metrics);
  }

  private void take(NodeLedger ledger) {
    clusterStats.update(ImmutableList.of(ledger), nanos);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  private Object gauge(String name) {
    return metrics.gauge(name).getValue();
  }

  @Test
  void aClaimThatIsHeldTooLongIsToldAndCounted() {
    NodeLedger quiet = ledger(new Inventory.Service.Serving());
    overdue =
        ImmutableList.of(
            new Finding(
                Finding.Kind.CLAIM_OVERDUE,
                "worker-1",
                ImmutableSortedMap.of(LEFT_OVER.uid(), LEFT_OVER.ref()),
                ImmutableSortedSet.of(),
                "held for 73h, class allows 72h"));
    take(quiet);

    assertThat(gauge("findings.ClaimOverdue")).isEqualTo(1L);
    assertThat(warnings)
        .extracting(Warning::subject, Warning::reason, Warning::message)
        .containsExactly(
            tuple(
                new Subject.OnClaim(LEFT_OVER.ref(), LEFT_OVER.uid()),
                "ClaimOverdue",
                "held for 73h, class allows 72h"));
    assertThat(nodes).isEmpty();
    overdue = ImmutableList.of();
    take(quiet);
    assertThat(gauge("findings.ClaimOverdue")).isEqualTo(0L);
    assertThat(warnings).hasSize(1);
  }

  @Test
  void nodesAreCounted() {
    take(ledger(new Inventory.Service.Serving(), LEFT_OVER));

    assertThat(gauge("nodes.withInventory")).isEqualTo(1);
    assertThat(gauge("nodes.serving")).isEqualTo(1);

    take(ledger(new Inventory.Service.NotReady("Stopped")));

    assertThat(gauge("nodes.withInventory")).isEqualTo(1);
    assertThat(gauge("nodes.serving")).isEqualTo(0);
  }

  @Test
  void aDeviceThatDrainsTooLongIsToldOnItsClaim() {
    NodeLedger ledger = ledger(new Inventory.Service.Serving(), LEFT_OVER);
    take(ledger);
    pass(ControllerDelays.MAX_DRAINING);
    take(ledger);
    assertThat(warnings).isEmpty();

    pass(Duration.ofSeconds(1));
    take(ledger);

    assertThat(gauge("findings.DeviceDraining")).isEqualTo(1L);
    assertThat(warnings)
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.subject())
                  .isEqualTo(new Subject.OnClaim(LEFT_OVER.ref(), LEFT_OVER.uid()));
              assertThat(warning.reason()).isEqualTo("DeviceDraining");
              assertThat(warning.message()).contains("worker-1", "GPU-0");
            });
  }

  @Test
  void aPreparedClaimThatIsGoneIsAnOrphan() {
    claimsExist = false;
    NodeLedger ledger = ledger(new Inventory.Service.Serving(), LEFT_OVER);
    take(ledger);
    assertThat(gauge("findings.ClaimOrphaned")).isEqualTo(0L);

    pass(ControllerDelays.MAX_DRAINING.plusSeconds(1));
    take(ledger);

    assertThat(gauge("findings.ClaimOrphaned")).isEqualTo(1L);
    assertThat(gauge("findings.DeviceDraining")).isEqualTo(0L);
    assertThat(warnings)
        .extracting(Warning::reason, Warning::message)
        .containsExactly(
            tuple("ClaimOrphaned", "GPU-0 of node worker-1: prepared, but the claim is gone"));
    assertThat(nodes).containsExactly("worker-1");
  }

  @Test
  void aGrantedDeviceThatTheInventoryLostIsToldOnItsClaimAtOnce() {
    take(granted(ledger(new Inventory.Service.Serving()).inventory(), "GPU-9"));

    assertThat(gauge("findings.DeviceLost")).isEqualTo(1L);
    assertThat(warnings)
        .extracting(Warning::subject, Warning::reason, Warning::message)
        .containsExactly(
            tuple(
                new Subject.OnClaim(LEFT_OVER.ref(), LEFT_OVER.uid()),
                "DeviceLost",
                "GPU-9 of node worker-1: allocated, but not listed in the node's inventory"));

    take(granted(ledger(new Inventory.Service.Serving()).inventory(), "GPU-1"));
    assertThat(gauge("findings.DeviceLost")).isEqualTo(0L);
  }

  private static Inventory tainted(
      ImmutableList<DeviceTaint> first, ImmutableList<DeviceTaint> second) {
    return node().change(0, gpu -> gpu.with(first)).change(1, gpu -> gpu.with(second)).inventory();
  }

  @Test
  void whoHasAGpuThatIsNotWellIsToldAndNobodyElse() {
    DeviceTaint sick = Taints.noSchedule("gpu.example.com/xid", "XID 79 (fell off the bus)");
    DeviceTaint admins = Taints.noSchedule("maintenance", "fan swap");

    take(granted(tainted(ImmutableList.of(), ImmutableList.of(sick, admins)), "GPU-1"));

    assertThat(gauge("findings.DeviceUnhealthy")).isEqualTo(1L);
    assertThat(warnings)
        .extracting(Warning::subject, Warning::reason, Warning::message)
        .containsExactly(
            tuple(
                new Subject.OnClaim(LEFT_OVER.ref(), LEFT_OVER.uid()),
                "DeviceUnhealthy",
                "GPU-1 of node worker-1: gpu-1: XID 79 (fell off the bus)"));

    take(granted(tainted(ImmutableList.of(sick), ImmutableList.of(admins)), "GPU-1"));
    assertThat(gauge("findings.DeviceUnhealthy")).isEqualTo(0L);
  }

  @Test
  void aClaimIsToldWhyItsContainersWait() {
    PreparedClaim waits = LEFT_OVER.waiting(Optional.of("MPS serves user 1000"));

    take(granted(ledger(new Inventory.Service.Serving(), waits).inventory(), "GPU-0"));

    assertThat(warnings)
        .extracting(Warning::subject, Warning::reason, Warning::message)
        .containsExactly(
            tuple(
                new Subject.OnClaim(LEFT_OVER.ref(), LEFT_OVER.uid()),
                "SharingWaits",
                "GPU-0 of node worker-1: MPS serves user 1000"));
  }

  @Test
  void aGrantOnANodeThatStaysAwayIsToldOnItsClaim() {
    NodeLedger ledger = granted(NodeLedger.unknown("worker-1").inventory(), "GPU-0");
    take(ledger);
    assertThat(warnings).isEmpty();

    pass(ControllerDelays.MAX_DRAINING.plusSeconds(1));
    take(ledger);

    assertThat(gauge("findings.NodeGone")).isEqualTo(1L);
    assertThat(warnings).extracting(Warning::reason).containsExactly("NodeGone");
  }

  @Test
  void drainingCountsFromItsOwnBeginning() {
    NodeLedger draining = ledger(new Inventory.Service.Serving(), LEFT_OVER);
    take(draining);
    pass(ControllerDelays.MAX_DRAINING);
    take(ledger(new Inventory.Service.Serving()));
    pass(Duration.ofSeconds(1));
    take(draining);

    assertThat(warnings).isEmpty();
  }

  @Test
  void aDoubleGrantIsToldOnBothClaims() {
    AlertRelay alerts = alerts();

    alerts.grantedTwice(
        new DoubleGrant(
            "worker-1",
            "GPU-0",
            ImmutableSortedMap.of(
                new ClaimUid("u1"), new ClaimRef("a", "x"),
                new ClaimUid("u2"), new ClaimRef("b", "y"))));

    assertThat(warnings).extracting(Warning::reason).containsOnly("DeviceGrantedTwice").hasSize(2);
    assertThat(warnings)
        .extracting(Warning::message)
        .containsExactly(
            "GPU-0 of node worker-1 is allocated to a/x and a claim of another namespace; delete"
                + " the pods of all but one of them",
            "GPU-0 of node worker-1 is allocated to b/y and a claim of another namespace; delete"
                + " the pods of all but one of them");
    assertThat(metrics.meter("alerts.doubleGrant").getCount()).isEqualTo(1);
  }

  @Test
  void aDoubleGrantIsToldForAsLongAsItIsOne() {
    Ledgers ledgers = new Ledgers();
    ledgers.setListener(alerts());
    ledgers.observe(ledger(new Inventory.Service.Serving()).inventory());
    for (String uid : List.of("u1", "u2")) {
      ledgers.observe(
          new ClaimRef("a", uid),
          new ClaimUid(uid),
          Optional.of(grant(new ClaimUid(uid), "GPU-0")));
    }
    assertThat(warnings).hasSize(2);
    warnings.clear();

    take(ledgers.ledger("worker-1"));

    assertThat(warnings).extracting(Warning::reason).containsOnly("DeviceGrantedTwice").hasSize(2);
    assertThat(metrics.meter("alerts.doubleGrant").getCount()).as("noticed once").isEqualTo(1);
  }

  @Test
  void anUnreadableHandleSaysWhatFollowsFromIt() {
    AlertRelay alerts = alerts();
    ClaimRef ref = new ClaimRef("a", "x");

    alerts.unreadableHandle(ref, new ClaimUid("u"), Optional.of("worker-1"), "handle is no JSON");
    alerts.unreadableHandle(ref, new ClaimUid("u"), Optional.empty(), "handle is no JSON");

    assertThat(warnings)
        .extracting(Warning::message)
        .containsExactly(
            "handle is no JSON; no new allocations on node worker-1 while the claim is allocated",
            "handle is no JSON; its node is unknown, only the node's plugin protects its devices");
  }

  @Test
  void aStrayHandleNamesTheClaimItWasMadeFor() {
    AlertRelay alerts = alerts();
    ClaimUid made = new ClaimUid("made-for");
    Grant grant = GrantFixture.grant(made, "worker-1", new GrantedDevice("gpu-0", "GPU-0"));

    alerts.strayHandle(new ClaimRef("a", "x"), new ClaimUid("u"), grant);

    assertThat(warnings)
        .extracting(Warning::message)
        .containsExactly(
            "the handle belongs to the claim with UID made-for;"
                + " node worker-1 will not prepare it for this one");
    assertThat(metrics.meter("alerts.strayHandle").getCount()).isEqualTo(1);
  }

  @Test
  void thatAClaimHasLeftANodeIsPassedOn() {
    alerts().holdsGone(LEFT_OVER.uid());

    assertThat(left).containsExactly(LEFT_OVER.uid());
  }
}
