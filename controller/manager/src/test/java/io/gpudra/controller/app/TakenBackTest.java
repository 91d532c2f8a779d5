package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TakenBackTest implements ReportSink {

  private static final PreparedClaim HELD =
      new PreparedClaim(
          new ClaimUid("u1"),
          new ClaimRef("team-a", "train"),
          ImmutableSet.of("GPU-0"),
          Optional.empty());

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
    return NodeLedger.of(
        new Inventory(
            new NodeState(node, true, false, ImmutableSortedSet.of(), ImmutableMap.of()),
            "",
            "",
            ImmutableList.of(),
            ImmutableList.of(prepared),
            service));
  }

  private void take(NodeLedger ledger) {
    clusterStats.take(ImmutableList.of(ledger), 0);
  }

  @Test
  void whatANodeTookBackOfAClaimThatIsGoneIsToldOnce() {
    PreparedClaim name =
        new PreparedClaim(HELD.uid(), HELD.ref(), ImmutableList.of(), Optional.empty());
    take(ledger(new Inventory.Service.Serving(), HELD));
    assertThat(warnings).isEmpty();

    take(ledger(new Inventory.Service.Serving(), name));
    take(ledger(new Inventory.Service.Serving(), name));

    assertThat(warnings).extracting(Warning::reason).containsExactly("DevicesTakenBack");
    assertThat(nodes).containsExactly("worker-1");
    assertThat(warnings.get(0).message())
        .startsWith("GPU-0 of node worker-1: the kubelet had lost the claim");
  }

  @Test
  void aClaimThatTwoNodesHaveLeftIsTakenBackByEach() {
    PreparedClaim name =
        new PreparedClaim(HELD.uid(), HELD.ref(), ImmutableList.of(), Optional.empty());
    Inventory.Service serving = new Inventory.Service.Serving();
    NodeLedger other = ledger("worker-2", serving, HELD);
    clusterStats.take(ImmutableList.of(ledger(serving, HELD), other), 0);

    clusterStats.take(ImmutableList.of(ledger(serving, name), other), 0);
    clusterStats.take(ImmutableList.of(ledger("worker-2", serving, name)), 0);

    assertThat(warnings)
        .extracting(Warning::message)
        .satisfiesExactly(
            one -> assertThat(one).startsWith("GPU-0 of node worker-1: "),
            two -> assertThat(two).startsWith("GPU-0 of node worker-2: "));
  }

  @Test
  void aNodeOfWhichOnlyNamesAreBelievedTookNothingBack() {
    PreparedClaim name =
        new PreparedClaim(HELD.uid(), HELD.ref(), ImmutableList.of(), Optional.empty());
    take(ledger(new Inventory.Service.Serving(), HELD));

    take(ledger(new Inventory.Service.Implausible("99 GPUs"), name));

    assertThat(warnings).isEmpty();
  }
}
