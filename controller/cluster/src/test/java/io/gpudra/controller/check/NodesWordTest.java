package io.gpudra.controller.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** For what a node is believed. */
class NodesWordTest {
  private static final ClaimUid OURS = new ClaimUid("ours");
  private static final ClaimRef REF = new ClaimRef("team-a", "train");

  private static Inventory says(
      Service service, ImmutableList<Gpu> gpus, PreparedClaim... prepared) {
    return NodeFixture.node("node").gpus(gpus).prepared(prepared).service(service).inventory();
  }

  private static Inventory serving(PreparedClaim... prepared) {
    Gpu gpu = DeviceSamples.gpu(0, DeviceSamples.A100, MigMode.UNSUPPORTED);
    return says(new Service.Serving(), ImmutableList.of(gpu), prepared);
  }

  private static PreparedClaim waits(ClaimUid claim, ClaimRef ref) {
    return GrantFixture.preparedWhole(claim, ref, "GPU-0")
        .waiting(Optional.of("MPS serves user 1000"));
  }

  /** A node on which a claim of ours has the GPU. */
  private static NodeLedger granted(Inventory node) {
    Ledgers ledgers = new Ledgers();
    ledgers.observe(node);
    ledgers.observe(
        REF,
        OURS,
        Optional.of(GrantFixture.grant(OURS, "node", new GrantedDevice("gpu-0", "GPU-0"))));
    return ledgers.ledger("node");
  }

  private static ImmutableList<Finding> found(NodeLedger node) {
    return NodeCheck.of(node, claim -> true);
  }

  @Test
  void theClaimThatWasGrantedThereMayBeSaidToWait() {
    ClaimRef misspelt = new ClaimRef("team-b", "infer");

    assertThat(found(granted(serving(waits(OURS, misspelt)))))
        .extracting(Finding::kind, Finding::claims, Finding::message)
        .containsExactly(
            tuple(Kind.SHARING_WAITS, ImmutableMap.of(OURS, REF), "MPS serves user 1000"));
  }

  @Test
  void noOtherClaimMay() {
    PreparedClaim other = waits(new ClaimUid("other"), new ClaimRef("team-b", "infer"));

    assertThat(found(granted(serving(other))))
        .extracting(Finding::kind)
        .doesNotContain(Kind.SHARING_WAITS);
  }

  /** Its grants are not lost, nor too many: nothing is known of it. */
  @Test
  void anInventoryThatNoNodeCanHaveIsAFindingAndNothingElse() {
    Service implausible = new Service.Implausible("status.models[0].migProfiles: Too many");

    NodeLedger node = granted(serving()).with(says(implausible, ImmutableList.of()));

    assertThat(found(node))
        .extracting(Finding::kind, Finding::message)
        .containsExactly(
            tuple(
                Kind.INVENTORY_IMPLAUSIBLE,
                "status.models[0].migProfiles: Too many; it gets no new allocations"));
    assertThat(node.lost()).isEmpty();
  }
}
