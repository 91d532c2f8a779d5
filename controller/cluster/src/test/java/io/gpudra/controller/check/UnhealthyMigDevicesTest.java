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
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Who is told that a MIG device is not well. */
class UnhealthyMigDevicesTest {
  private final Ledgers ledgers = new Ledgers();

  private static Part.Slice slice(int start) {
    return DeviceSamples.slice(DeviceSamples.SMALL, start);
  }

  private static MigState.Device device(int start, String claim) {
    return new MigState.Device(
        "MIG-" + start, slice(start), Optional.of(new ClaimUid(claim)), /* foreign= */ false);
  }

  private void hold(String claim, int start) {
    GrantedPart part =
        new GrantedPart(
            "GPU-0",
            slice(start),
            SharingStrategy.NONE,
            100,
            false,
            Optional.empty(),
            Optional.empty());
    ledgers.observe(
        new ClaimRef("team", claim),
        new ClaimUid(claim),
        Optional.of(
            new Grant(
                new ClaimUid(claim),
                "node",
                1,
                OptionalLong.empty(),
                Instant.EPOCH,
                ImmutableList.of(new GrantedDevice("mig", part, /* parent= */ false)))));
  }

  @Test
  void whoHasOneIsToldAndNotItsNeighbours() {
    MigState.Device ill = device(1, "a").with(ImmutableList.of(DeviceSamples.xid(95)));
    MigState cut = MigState.of(MigMode.ENABLED).with(ImmutableList.of(device(0, "b"), ill));
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
              assertThat(found.what()).isEqualTo("gpu-0-mig-1g.10gb-1: XID 95");
            });
  }
}
