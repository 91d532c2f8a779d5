package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.node.Gpu;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A driver of one version with two GPUs of one kind. Each test begins on a machine of its own and
 * leaves nothing in its kernel.
 */
abstract class DriverCase {

  @TempDir Path directory = Path.of("");

  final String driver;
  final KnownModel model;

  @SuppressWarnings("NullAway.Init") // set before each test
  DriverUnderTest kernel;

  @SuppressWarnings("NullAway.Init") // set before each test
  NvidiaDevices devices;

  /**
   * Nothing is loaded yet.
   *
   * @param driver branch, such as {@code 550}
   */
  DriverCase(String driver, KnownModel model) {
    this.driver = driver;
    this.model = model;
  }

  /** Makes it. */
  abstract DriverUnderTest driver(Path root) throws IOException;

  /** Before parts of GPU instances, and fabrics. */
  final boolean isOld() {
    return driver.equals("470");
  }

  @BeforeEach
  void load() throws IOException {
    kernel = driver(directory);
    devices = kernel.open();
  }

  @AfterEach
  void nothingIsLeftInTheKernel() throws IOException {
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
