package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** GPUs that are on the bus before the driver has them. */
class LateGpuTest {

  @TempDir Path directory = Path.of("");

  @Test
  void aGpuThatTheDriverTakesLateIsFound() throws IOException {
    FakeDevices told = new FakeDevices(FakeNodeProfile.parse("h100:2"), "worker-1");
    StubDriver late =
        Stubs.driver(directory.resolve("late"), StubDriver.NEWEST, told.gpus(), told.links());
    told.gpus().forEach(gpu -> late.set(gpu.uuid(), "absent", 1));
    try (NvidiaDevices found = Stubs.open(late, new FakeMpsServers())) {
      assertThat(found.unlisted()).containsExactlyInAnyOrderElementsOf(addresses(told));
      told.gpus().forEach(gpu -> late.set(gpu.uuid(), "absent", 0));
      for (int i = 0; i < 31; i++) {
        found.poll(Set.of());
      }

      assertThat(found.gpus()).hasSize(2);
      assertThat(found.unlisted()).isEmpty();
    }
  }

  private static ImmutableList<String> addresses(FakeDevices told) {
    return told.gpus().stream().map(Gpu::pcieBusId).collect(toImmutableList());
  }

  @Test
  void aGpuOfAnotherDriverIsNotWaitedFor() throws IOException {
    Path device = directory.resolve("sys/bus/pci/devices/0000:09:00.0");
    Files.createDirectories(device);
    Files.writeString(device.resolve("vendor"), "0x10de\n");
    Files.writeString(device.resolve("class"), "0x030200\n");
    PciTree pci = new PciTree(directory.resolve("sys"));
    assertThat(pci.gpus()).containsExactly("0000:09:00.0");

    Files.createSymbolicLink(
        device.resolve("driver"), Path.of("../../../bus/pci/drivers/vfio-pci"));
    assertThat(pci.gpus()).isEmpty();
    Files.delete(device.resolve("driver"));
    Files.createSymbolicLink(device.resolve("driver"), Path.of("../../../bus/pci/drivers/nvidia"));
    assertThat(pci.gpus()).containsExactly("0000:09:00.0");
  }
}
