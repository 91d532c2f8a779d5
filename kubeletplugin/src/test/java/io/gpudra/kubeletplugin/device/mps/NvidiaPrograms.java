package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * A system that has NVIDIA's own programs for MPS, and no driver: what serves ends at once, unless
 * something takes its place.
 *
 * @param root of the system
 */
record NvidiaPrograms(Path root) {

  private static final Path SERVER = Path.of("usr/bin/nvidia-cuda-mps-server");

  /** Skips a test where they cannot be had or not be run. */
  static NvidiaPrograms of(String name, Path directory) throws IOException {
    Stubs.assumeMounts(directory);
    Path unpacked = Emulated.packageOf(name).directory();
    StubDriver driver =
        Stubs.driver(
            directory.resolve("root"), StubDriver.NEWEST, ImmutableList.of(), ImmutableList.of());
    Path control = driver.program(StubDriver.MPS_CONTROL);
    Files.move(control, control.resolveSibling("stays"));
    Files.copy(unpacked.resolve("usr/bin").resolve(StubDriver.MPS_CONTROL), control);
    Files.copy(
        unpacked.resolve("usr/sbin").resolve(SERVER.getFileName()), driver.root().resolve(SERVER));
    return new NvidiaPrograms(driver.root());
  }

  MpsControl control() {
    return new NvidiaMpsControl(
        root, Path.of("/usr/bin", StubDriver.MPS_CONTROL), Optional.empty());
  }

  /** As one that has found a GPU. */
  void serverStays() throws IOException {
    Files.move(
        root.resolve("usr/bin/stays"), root.resolve(SERVER), StandardCopyOption.REPLACE_EXISTING);
  }
}
