package io.gpudra.controller.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who is told that a MIG device is not well. */
class UnhealthyMigDevicesTest {
  private final Ledgers ledgers = new Ledgers();

  private static Part.Slice slice(int start) {
    return DeviceSamples.slice(DeviceSamples.SMALL, start);
  }

  private static MigState.Device device(int start, String claim) {
    return GrantFixture.migDevice("MIG-" + start, slice(start), new ClaimUid(claim));
  }

  private void hold(String claim, int start) {
    ClaimUid uid = new ClaimUid(claim);
    GrantedDevice device = GrantFixture.device("mig", GrantFixture.part("GPU-0", slice(start)));
    ledgers.observe(
        new ClaimRef("team", claim), uid, Optional.of(GrantFixture.grant(uid, "node", device)));
  }

  @Test
  void whoHasOneIsToldAndNotItsNeighbours() {
    MigState.Device ill = device(1, "a").with(ImmutableList.of(DeviceSamples.xid(95)));
    MigState cut = GpuModels.enabled(device(0, "b"), ill);
    Inventory node =
        DeviceSamples.inventory(
            "node", ImmutableList.of(DeviceSamples.gpu(0, DeviceSamples.A100_MIG, cut)));
    ledgers.observe(node);
    hold("a", 1);
    hold("b", 0);

    assertThat(NodeCheck.of(ledgers.ledger("node"), claim -> true))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.kind()).isEqualTo(Kind.DEVICE_UNHEALTHY);
              assertThat(found.claims())
                  .isEqualTo(ImmutableMap.of(new ClaimUid("a"), new ClaimRef("team", "a")));
              assertThat(found.devices()).isEqualTo(ImmutableSortedSet.of("GPU-0"));
              assertThat(found.message()).isEqualTo("gpu-0-mig-1g.10gb-1: XID 95");
            });
  }
}
