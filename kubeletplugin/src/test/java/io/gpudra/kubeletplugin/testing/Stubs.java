package io.gpudra.kubeletplugin.testing;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth;
import io.gpudra.kubeletplugin.device.nvidia.HealthFile;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.kubeletplugin.device.os.PrivateMounts;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Drivers of GPUs that are not there; tests that need one are skipped where none can be made. */
public final class Stubs {

  private Stubs() {}

  public static StubDriver driver(
      Path root, int era, Collection<Gpu> gpus, Collection<GpuLink> links) {
    Assumptions.assumeTrue(
        StubDriver.canBeMade(), "no C compiler: the stub of NVML cannot be made");
    try {
      return StubDriver.of(root, era, gpus, links);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Skips a test where no mounts may be made; {@code directory} is any that is there. */
  public static void assumeMounts(Path directory) {
    Assumptions.assumeTrue(mayMount(directory), "only a privileged process may make mounts");
  }

  private static boolean mayMount(Path directory) {
    try {
      PrivateMounts.mountMemory(directory, "size=4k");
      PrivateMounts.unmount(directory);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public static NvidiaDevices open(StubDriver driver, MpsServers mps) throws IOException {
    return open(driver.root(), mps).keptIn(driver.root().resolve("gpus.json"));
  }

  /** With whatever driver is below a root; no later process knows what this one found. */
  public static NvidiaDevices open(Path root, MpsServers mps) throws IOException {
    DriverRoot driver = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), root);
    return NvidiaDevices.open(driver, root, mps, health(root));
  }

  /** As the driver {@code gpu.example.com} of one boot keeps it. */
  public static GpuHealth health(Path root) {
    return new GpuHealth(
        "gpu.example.com",
        ImmutableSet.of(),
        ImmutableSet.of(),
        new HealthFile(root.resolve("health.json"), "boot-1"),
        Clock.systemUTC());
  }
}
