package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * NVIDIA's own management library, of one version, on a kernel that is emulated and has two GPUs of
 * one kind. Each test begins on a machine of its own and leaves nothing in its kernel.
 */
abstract class OnNvidiaLibrary {

  @TempDir Path directory = Path.of("");

  final String driver;
  final KnownModel model;

  @SuppressWarnings("NullAway.Init") // set before each test
  EmulatedKernel kernel;

  @SuppressWarnings("NullAway.Init") // set before each test
  NvidiaDevices devices;

  /**
   * Nothing is loaded yet.
   *
   * @param driver by which hack/nvidia/fetch knows the library
   */
  OnNvidiaLibrary(String driver, KnownModel model) {
    this.driver = driver;
    this.model = model;
  }

  /** Before parts of GPU instances, and fabrics. */
  final boolean isOld() {
    return driver.equals("470");
  }

  @BeforeEach
  void load() throws IOException {
    kernel =
        EmulatedKernel.of(directory, Emulated.library(driver), EmulatedGpu.several(model.key(), 2));
    devices = Emulated.open(kernel);
  }

  @AfterEach
  void nothingIsLeftInTheKernel() {
    if (devices != null) {
      devices.close();
    }
    if (kernel != null) {
      int left = kernel.instances();
      kernel.close();
      assertThat(left).as("instances that the kernel still has").isZero();
    }
  }

  final String first() {
    return gpu().uuid();
  }

  final Gpu gpu() {
    return devices.gpus().get(0);
  }
}
