package io.gpudra.crds.model.node;

import static io.gpudra.crds.testing.GpuModels.slice;
import static io.gpudra.crds.testing.GrantFixture.migDevice;
import static io.gpudra.crds.testing.GrantFixture.preparedWhole;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import org.junit.jupiter.api.Test;

class InventoryTest {
  private static final ClaimUid STAYS = new ClaimUid("stays");
  private static final ClaimUid GOES = new ClaimUid("goes");
  private static final GpuModel MODEL = GpuModels.A100;

  private static PreparedClaim prepared(ClaimUid claim, String gpu) {
    return preparedWhole(claim, new ClaimRef("team-a", claim.value()), gpu);
  }

  private static Inventory inventory() {
    return NodeFixture.node("n")
        .gpus(3, MODEL)
        .mig(
            0,
            migDevice("MIG-static", slice(MODEL, "1g.5gb", 0)),
            migDevice("MIG-stays", slice(MODEL, "1g.5gb", 1), STAYS),
            migDevice("MIG-goes", slice(MODEL, "1g.5gb", 2), GOES))
        .prepared(prepared(STAYS, "GPU-n-1"), prepared(GOES, "GPU-n-2"))
        .inventory();
  }

  @Test
  void theDevicesOfOtherClaimsAreGone() {
    Inventory only = inventory().only(ImmutableSet.of(STAYS));

    assertThat(only.prepared()).extracting(PreparedClaim::uid).containsExactly(STAYS);
    assertThat(only.gpus().get(0).mig().devices())
        .extracting(MigState.Device::uuid)
        .containsExactly("MIG-static", "MIG-stays");
    assertThat(only.gpus()).hasSize(3);
  }

  @Test
  void anInventoryWithoutOtherClaimsStaysAsItIs() {
    Inventory all = inventory();

    assertThat(all.only(ImmutableSet.of(STAYS, GOES))).isSameAs(all);
  }
}
