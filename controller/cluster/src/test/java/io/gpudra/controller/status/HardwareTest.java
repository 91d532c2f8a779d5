package io.gpudra.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.status.GpuNodes.Hardware;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import org.junit.jupiter.api.Test;

class HardwareTest {

  private static Inventory cut(MigState.Device device) {
    MigState mig = GpuModels.enabled(device);
    return DeviceSamples.inventory(
        "cut", ImmutableList.of(DeviceSamples.gpu(0, DeviceSamples.A100_MIG, mig)));
  }

  @Test
  void whatIsWrongWithAMigDeviceChangesNothing() {
    MigState.Device there =
        GrantFixture.migDevice("MIG-1", DeviceSamples.slice(DeviceSamples.HALF, 0));
    MigState.Device ill = there.with(ImmutableList.of(DeviceSamples.xid(95)));

    assertThat(Hardware.of(cut(ill))).isEqualTo(Hardware.of(cut(there)));
  }
}
