package io.gpudra.kubeletplugin.device;

import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What must hold of GPUs on paper and of those of a driver: two that are cut as an A100 is, and
 * whose mode can be switched.
 */
public abstract class GpuDevicesContract {

  protected static final String GPU = "GPU-0";

  /** The same at every call of one test. */
  protected abstract GpuDevices devices();

  /** One GPU whose mode is off and takes a reset. */
  protected abstract GpuDevices fixed() throws IOException;

  /** The GPU falls off its bus. */
  protected abstract void lose(String uuid) throws IOException;

  private List<MigState.Device> found() {
    return devices().find(GPU).orElseThrow().mig().devices();
  }

  private void cut(String profile, int start) throws IOException {
    devices().setMigMode(GPU, MigMode.ENABLED);
    devices().makeGpuInstance(GPU, slice(profile, start));
    devices().makeComputeInstance(GPU, slice(profile, start));
  }

  @Test
  void isCutAndMendedAndChangesNothingTwice() throws IOException {
    cut("1g.5gb", 3);
    cut("3g.20gb", 4);
    List<MigState.Device> twice = found();
    cut("1g.5gb", 3);
    assertThat(found()).isEqualTo(twice);
    assertThat(found())
        .extracting(MigState.Device::slice)
        .containsExactlyInAnyOrder(slice("1g.5gb", 3), slice("3g.20gb", 4));
    assertThat(found()).allSatisfy(device -> assertThat(device.foreign()).isFalse());

    for (Slice slice : ImmutableList.of(slice("1g.5gb", 3), slice("3g.20gb", 4))) {
      for (int i = 0; i < 2; i++) {
        devices().destroyComputeInstance(GPU, slice);
        devices().destroyGpuInstance(GPU, slice);
      }
    }
    devices().setMigMode(GPU, MigMode.DISABLED);

    assertThat(found()).isEmpty();
    assertThat(devices().gpus())
        .extracting(Gpu::mig)
        .extracting(MigState::mode)
        .containsOnly(MigMode.DISABLED);
  }

  @Test
  void aMigDeviceHasAnotherUuidEachTimeAndWithoutComputeInstanceNone() throws IOException {
    cut("1g.5gb", 3);
    String first = found().get(0).uuid();

    devices().destroyComputeInstance(GPU, slice("1g.5gb", 3));
    assertThat(found()).extracting(MigState.Device::slice).containsExactly(slice("1g.5gb", 3));
    assertThat(found().get(0).uuid()).startsWith("MIG-" + GPU + "/");
    devices().makeComputeInstance(GPU, slice("1g.5gb", 3));

    assertThat(found().get(0).uuid()).startsWith("MIG-").isNotEqualTo(first);
  }

  @Test
  void computeInstancesShareAGpuInstance() throws IOException {
    Slice whole = slice("3g.20gb", 0);
    devices().setMigMode(GPU, MigMode.ENABLED);
    devices().makeGpuInstance(GPU, whole);
    devices().makeComputeInstance(GPU, within(whole, 0, 2));
    devices().makeComputeInstance(GPU, within(whole, 2, 1));

    assertThat(found())
        .extracting(MigState.Device::slice)
        .containsExactlyInAnyOrder(within(whole, 0, 2), within(whole, 2, 1));
    assertThat(found()).extracting(MigState.Device::uuid).doesNotHaveDuplicates();
    assertThatThrownBy(() -> devices().makeComputeInstance(GPU, within(whole, 1, 1)))
        .hasMessageContaining("Insufficient Resources");
  }

  @Test
  void refusesWhatIsInTheWay() throws IOException {
    assertThatThrownBy(() -> devices().makeGpuInstance(GPU, slice("1g.5gb", 0)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1g.5gb at 0");
    cut("1g.5gb", 4);
    assertThatThrownBy(() -> devices().makeGpuInstance(GPU, slice("3g.20gb", 4)))
        .hasMessageContaining("Insufficient Resources");
    assertThatThrownBy(() -> devices().destroyGpuInstance(GPU, slice("1g.5gb", 4)))
        .hasMessageContaining("In use by another client");
    assertThatThrownBy(() -> devices().setMigMode(GPU, MigMode.DISABLED))
        .hasMessageContaining("In use by another client");
    assertThatThrownBy(() -> devices().setComputeMode(GPU, ComputeMode.EXCLUSIVE_PROCESS))
        .hasMessageContaining("Not Supported");
  }

  @Test
  void nothingIsLeftToTakeBackOfAGpuThatIsNotThere() throws IOException {
    devices().tearDown("GPU-7");
    devices().destroyComputeInstance("GPU-7", slice("1g.5gb", 0));
    devices().destroyGpuInstance("GPU-7", slice("1g.5gb", 0));

    assertThatThrownBy(() -> devices().setUp("GPU-7")).hasMessageContaining("GPU-7");
    assertThatThrownBy(() -> devices().makeGpuInstance("GPU-7", slice("1g.5gb", 0)))
        .hasMessageContaining("GPU-7");
  }

  @Test
  void aLostGpuDoesNothingAnyMoreAndIsToldToBeLost() throws IOException {
    cut("1g.5gb", 3);
    lose(GPU);

    assertThatThrownBy(() -> devices().destroyComputeInstance(GPU, slice("1g.5gb", 3)))
        .hasMessageContaining("GPU is lost");
    assertThat(devices().find(GPU).orElseThrow().taints()).anyMatch(DeviceTaint::concernsLoss);
    assertThatThrownBy(() -> devices().setUp(GPU)).hasMessageContaining("GPU is lost");
    assertThatThrownBy(() -> devices().setComputeMode(GPU, ComputeMode.DEFAULT))
        .hasMessageContaining("gpu-0");
    assertThat(devices().find("GPU-1").orElseThrow().taints()).isEmpty();
    devices().setUp("GPU-1");
  }

  @Test
  void aModeThatTakesAResetIsLeftAsItIs() throws IOException {
    try (GpuDevices fixed = fixed()) {
      assertThatThrownBy(() -> fixed.setMigMode(GPU, MigMode.ENABLED))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("MIG mode of gpu-0")
          .hasMessageContaining("it takes a reset");
      fixed.setMigMode(GPU, MigMode.DISABLED);
      fixed.poll(Set.of());
      assertThat(fixed.gpus().get(0).mig().mode()).isEqualTo(MigMode.DISABLED);
    }
  }
}
