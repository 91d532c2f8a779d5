package io.gpudra.kubeletplugin.app;

import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoDriver;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoGpus;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeFaults;
import io.gpudra.kubeletplugin.device.LateDevices;
import io.gpudra.kubeletplugin.device.Profile;
import io.gpudra.kubeletplugin.device.Profiles;
import io.gpudra.kubeletplugin.device.mps.MpsProcesses;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.Health;
import io.gpudra.kubeletplugin.device.nvidia.HealthFile;
import io.gpudra.kubeletplugin.device.nvidia.KnownGpus;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.kubeletplugin.device.nvidia.PciTree;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/**
 * Finds the GPUs that are to be served. A driver may come later than the plugin, from a container
 * of its own, and may be repaired meanwhile; a node without a GPU lacks nothing.
 */
record Hardware(PluginOptions options, StateFiles state) {

  /** While others start. */
  static void warmUp(PluginOptions options) {
    if (options.devices != PluginOptions.Kind.FAKE) {
      new Thread(Nvml::warmUp, "warm-up").start();
    }
  }

  /** Those that are there now; they may come later. */
  LateDevices open() throws IOException {
    return new LateDevices(options.devices == PluginOptions.Kind.FAKE ? fake() : nvidia());
  }

  /**
   * Looks whether they have come, where they had not; answers whether they have just now. On a bus
   * without a GPU no driver is tried again: it would look for one by itself each time.
   */
  boolean comes(LateDevices devices) throws IOException {
    if (devices.came() || (devices.unreachable().isEmpty() && pci().lacksGpus())) {
      return false;
    }
    Devices next = nvidia();
    try {
      devices.become(next);
    } catch (IOException e) {
      next.close();
      throw e;
    }
    return devices.came();
  }

  /** Those that are there now, which nobody touches. */
  Devices look() throws IOException {
    return options.devices == PluginOptions.Kind.FAKE ? fake() : openNvidia();
  }

  private FakeDevices fake() throws IOException {
    Profile profile =
        Optional.ofNullable(options.profiles)
            .orElseGet(() -> Profiles.parse("latest"))
            .of(options.nodeName);
    FakeFaults faults = new FakeFaults(state.faults(), options.driverName);
    return new FakeDevices(profile, options.nodeName, MpsProcesses.fake(state.mps()), faults)
        .keptIn(state.devices());
  }

  private Devices nvidia() {
    try {
      return openNvidia().keptIn(state.gpus());
    } catch (IOException e) {
      return pci().lacksGpus()
          ? new NoGpus()
          : new NoDriver(String.valueOf(e.getMessage()), KnownGpus.before(state.gpus()));
    }
  }

  private PciTree pci() {
    return new PciTree(kernel().resolve("sys"));
  }

  private Path kernel() {
    return Optional.ofNullable(options.kernelRoot).orElse(options.nodeRoot);
  }

  private NvidiaDevices openNvidia() throws IOException {
    DriverRoot root =
        DriverRoot.find(
            Optional.ofNullable(options.driverRoot),
            Optional.ofNullable(options.driverLibraries),
            options.nodeRoot);
    HealthFile file = new HealthFile(state.health(), options.bootId());
    return NvidiaDevices.open(
        root,
        kernel(),
        root.mps(state.mps()),
        new Health(
            options.driverName,
            ImmutableSet.copyOf(options.ignoredXids),
            ImmutableSet.copyOf(options.evictOn),
            file,
            Clock.systemUTC()));
  }
}
