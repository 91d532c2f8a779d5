package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.Scene;
import org.junit.jupiter.api.Test;

class DashboardNodeJsonTest {

  @Test
  void theTaintsOfAGpuAreThoseOfItsMigDevicesToo() {
    Scene scene =
        new Scene()
            .node("worker-1", DeviceSamples.A100_MIG)
            .cut(
                "worker-1",
                0,
                DeviceSamples.slice(DeviceSamples.SMALL, 3),
                DeviceSamples.slice(DeviceSamples.SMALL, 4))
            .taint("worker-1", 0);

    assertThat(DashboardNodeJson.of(NodeUse.all(scene.cluster()).get(0), ImmutableMap.of()))
        .contains(
            "\"gpu.resource.example.com/xid:NoSchedule (XID 79); gpu-0-mig-1g.10gb-3"
                + " gpu.resource.example.com/xid:NoSchedule (XID 95)\"");
  }

  @Test
  void theLetterOfAStatusIsKnownToTheScript() {
    assertThat(GpuStatus.values())
        .extracting(DashboardNodeJson::letter)
        .containsExactly("L", "S", "T", "D", "G", "P", "F");
  }
}
