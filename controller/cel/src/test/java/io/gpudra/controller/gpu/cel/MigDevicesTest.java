package io.gpudra.controller.gpu.cel;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.HALF;
import static io.gpudra.controller.gpu.cel.DeviceSamples.MEDIA;
import static io.gpudra.controller.gpu.cel.DeviceSamples.SMALL;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.CelDevice.MigDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What conditions see of MIG devices, and of GPUs that are linked. */
class MigDevicesTest {

  private static final ConditionCompiler EXPRESSIONS =
      new ConditionCompiler(DeviceSamples.DRIVER, new DeviceSamples.Told());

  /** The last GPU has no link. */
  private static final Inventory NODE =
      DeviceSamples.inventory(
          "worker-1",
          ImmutableList.of(
              DeviceSamples.gpu(0, A100_MIG, Gpu.MigMode.DISABLED),
              DeviceSamples.gpu(1, A100_MIG, Gpu.MigMode.DISABLED),
              DeviceSamples.gpu(2, A100_MIG, Gpu.MigMode.DISABLED),
              DeviceSamples.gpu(3, A100_MIG, Gpu.MigMode.DISABLED)),
          new GpuLink(ImmutableSet.of("GPU-0", "GPU-1"), GpuLink.Type.NVLINK, 4),
          new GpuLink(ImmutableSet.of("GPU-0", "GPU-1", "GPU-2"), GpuLink.Type.NVLINK, 2));

  private static CelDevice mig(Part.Slice slice, Optional<String> uuid) {
    return new CelDevice(
        DeviceSamples.DRIVER, NODE, NODE.gpus().get(1), Optional.of(new MigDevice(slice, uuid)));
  }

  private static boolean matches(String condition, CelDevice device) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Compiled.class);
    return EXPRESSIONS.matches(((CompilationResult.Compiled) compilation).expression(), device);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.type == 'mig'",
        "device.migProfile == '3g.40gb'",
        "device.attributes['gpu.nvidia.com'].profile == '3g.40gb'",
        "device.attributes['gpu.nvidia.com'].parentUUID == 'GPU-1'",
        "device.parentUUID == 'GPU-1' && device.uuid == ''",
        "device.name == 'gpu-1-mig-3g.40gb-4'",
        "device.index == 1 && device.minor == 1 && device.numaNode == 0",
        "device.nominalMemory == quantity('40Gi')",
        "device.memory < quantity('40Gi') && device.memory > quantity('39Gi')",
        "device.productName == 'NVIDIA A100-SXM4-80GB' && device.architecture == 'Ampere'",
        "device.migEnabled && device.migCapable",
        "'tensorCores' in device.capabilities && !('nvlink' in device.capabilities)",
        "device.nvlinkPeers == 0"
      })
  void aMigDeviceIsSeenAsWhatItIsOrWillBe(String condition) {
    assertThat(matches(condition, mig(slice(HALF, 4), Optional.empty()))).isTrue();
  }

  @Test
  void oneThatIsThereHasItsUuid() {
    CelDevice device = mig(slice(SMALL, 0), Optional.of("MIG-1"));

    assertThat(matches("device.uuid == 'MIG-1'", device)).isTrue();
  }

  @Test
  void aNameHasNoPlus() {
    assertThat(
            matches(
                "device.name == 'gpu-1-mig-1g.10gb.me-6'", mig(slice(MEDIA, 6), Optional.empty())))
        .isTrue();
  }

  @Test
  void aComputeInstanceIsNamedWithItsPlace() {
    Part.Slice instance = new Part.Slice("3g.40gb", 4, 4, 3, Optional.of(new Part.Instance(2, 1)));
    CelDevice device = mig(instance, Optional.empty());

    assertThat(matches("device.migProfile == '1c.3g.40gb'", device)).isTrue();
    assertThat(matches("device.name == 'gpu-1-mig-1c.3g.40gb-4-2'", device)).isTrue();
    assertThat(matches("device.nominalMemory == quantity('40Gi')", device)).isTrue();
  }

  @Test
  void aWholeGpuHasNoProfileAndNoParent() {
    CelDevice gpu = new CelDevice(DeviceSamples.DRIVER, NODE, NODE.gpus().get(0));

    assertThat(matches("device.migProfile == '' && device.parentUUID == ''", gpu)).isTrue();
    assertThat(matches("device.type == 'gpu' && !device.migEnabled", gpu)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0, 2, true", "1, 2, true", "2, 2, true", "3, 0, false"})
  void eachLinkedGpuCountsOnceAndMakesTheCapability(int index, int peers, boolean linked) {
    CelDevice gpu = new CelDevice(DeviceSamples.DRIVER, NODE, NODE.gpus().get(index));

    assertThat(matches("device.nvlinkPeers == " + peers, gpu)).isTrue();
    assertThat(matches("('nvlink' in device.capabilities) == " + linked, gpu)).isTrue();
  }

  @Test
  void whereNoLinkIsKnownTheModelIsBelieved() {
    Inventory node = DeviceSamples.node("worker-2", A100_MIG);
    CelDevice gpu = new CelDevice(DeviceSamples.DRIVER, node, node.gpus().get(0));

    assertThat(matches("'nvlink' in device.capabilities && device.nvlinkPeers == 0", gpu)).isTrue();
  }
}
