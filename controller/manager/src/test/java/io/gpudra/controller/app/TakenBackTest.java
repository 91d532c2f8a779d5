package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakenBackTest implements ReportSink {

  private static final PreparedClaim HELD =
      GrantFixture.preparedWhole(new ClaimUid("u1"), new ClaimRef("team-a", "train"), "GPU-0");
  private static final PreparedClaim NAME = GrantFixture.prepared(HELD.uid(), HELD.ref());

  private final List<Warning> warnings = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private final ClusterStats clusterStats =
      new ClusterStats(
          this, claim -> false, twice -> {}, ledgers -> ImmutableList.of(), new MetricRegistry());

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

  private static NodeLedger ledger(Inventory.Service service, PreparedClaim prepared) {
    return ledger("worker-1", service, prepared);
  }

  private static NodeLedger ledger(String node, Inventory.Service service, PreparedClaim prepared) {
    return NodeLedger.of(NodeFixture.node(node).prepared(prepared).service(service).inventory());
  }

  private void take(NodeLedger ledger) {
    clusterStats.update(ImmutableList.of(ledger), 0);
  }

  @Test
  void whatANodeTookBackOfAClaimThatIsGoneIsToldOnce() {
    take(ledger(new Inventory.Service.Serving(), HELD));
    assertThat(warnings).isEmpty();

    take(ledger(new Inventory.Service.Serving(), NAME));
    take(ledger(new Inventory.Service.Serving(), NAME));

    assertThat(warnings).extracting(Warning::reason).containsExactly("DevicesTakenBack");
    assertThat(nodes).containsExactly("worker-1");
    assertThat(warnings.get(0).message())
        .startsWith("GPU-0 of node worker-1: the kubelet had lost the claim");
  }

  @Test
  void aClaimThatTwoNodesHaveLeftIsTakenBackByEach() {
    Inventory.Service serving = new Inventory.Service.Serving();
    NodeLedger other = ledger("worker-2", serving, HELD);
    clusterStats.update(ImmutableList.of(ledger(serving, HELD), other), 0);

    clusterStats.update(ImmutableList.of(ledger(serving, NAME), other), 0);
    clusterStats.update(ImmutableList.of(ledger("worker-2", serving, NAME)), 0);

    assertThat(warnings)
        .extracting(Warning::message)
        .satisfiesExactly(
            one -> assertThat(one).startsWith("GPU-0 of node worker-1: "),
            two -> assertThat(two).startsWith("GPU-0 of node worker-2: "));
  }

  @Test
  void aNodeOfWhichOnlyNamesAreBelievedTookNothingBack() {
    take(ledger(new Inventory.Service.Serving(), HELD));

    take(ledger(new Inventory.Service.Implausible("99 GPUs"), NAME));

    assertThat(warnings).isEmpty();
  }
}
