package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What of a GPU is taken though no grant says so. */
class TakenTest {

  private static NodeLedger preparing(NodeLedger node, ImmutableList<GrantedDevice> devices) {
    PreparedClaim prepared =
        new PreparedClaim(
            new ClaimUid("before"),
            new ClaimRef("team", "before"),
            devices.stream().map(GrantedDevice::part).collect(ImmutableList.toImmutableList()),
            Optional.empty());
    return NodeLedger.of(NodeFixture.like(node.inventory()).prepared(prepared).inventory());
  }

  @Test
  void aShareThatIsStillPreparedIsTaken() {
    NodeLedger free = a100s(1);
    Placement share = place(free, claim("x", share(30, 1)));
    NodeLedger draining =
        preparing(
            free,
            Objects.requireNonNull(
                ((Placement.Fits) share).devices().get(new ClaimUid("uid-of-x"))));

    assertThat(names(place(draining, claim("a", share(10, 1))), "a")).containsExactly("gpu-0");
    assertThat(text(place(draining, claim("a", share(11, 1))), "a"))
        .isEqualTo("needs 11Gi, the most that is left of one GPU is 10Gi (gpu-0)");
  }

  @Test
  void aMigDeviceThatTheDriverMadeIsInNobodysWayOnceNoClaimHasIt() {
    MigState.Device left =
        GrantFixture.migDevice("MIG-1", slice(A100, "3g.20gb", 0), new ClaimUid("gone"));
    NodeLedger node =
        node(
            ImmutableList.of(
                gpu(0, A100, new MigState(MigMode.ENABLED, true, ImmutableList.of(left)))));

    assertThat(names(place(node, claim("a", whole(1))), "a")).containsExactly("gpu-0");
  }
}
