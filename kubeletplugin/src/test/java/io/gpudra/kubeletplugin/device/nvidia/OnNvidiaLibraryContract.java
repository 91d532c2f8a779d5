package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.nvidia.EmulatedKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The same with NVIDIA's own management library, and what its binding for Python makes of it. */
abstract class OnNvidiaLibraryContract extends DriverContract {

  OnNvidiaLibraryContract(String driver, KnownModel model) {
    super(driver, model);
  }

  @Override
  DriverUnderTest driver(Path root) throws IOException {
    return DriverUnderTest.OfNvidia.of(root, driver, model);
  }

  private EmulatedKernel emulated() {
    return ((DriverUnderTest.OfNvidia) kernel).kernel();
  }

  /** What it made outlives it, and is everybody's. */
  @Test
  void seesAndTakesBackWhatAProcessMadeThatWasKilled() throws IOException {
    enableMig();
    NvidiaBinding.Ended other = NvidiaBinding.run(emulated(), "cut.py", first());
    assertThat(other.words()).isEqualTo("cut\n");
    devices.poll(Set.of());

    Slice slice = whole(model.ofCompute(1), 0);
    assertThat(found()).extracting(MigState.Device::slice).containsExactly(slice);
    devices.destroyComputeInstance(first(), slice);
    devices.destroyGpuInstance(first(), slice);
  }

  @Test
  void agreesWithNvidiasOwnBinding() throws IOException {
    enableMig();
    kernel.set(devices.gpus().get(1).uuid(), "computing", 4711);

    assertThat(NvidiaBinding.ours(emulated())).isEqualTo(NvidiaBinding.theirs(emulated()));
  }
}
