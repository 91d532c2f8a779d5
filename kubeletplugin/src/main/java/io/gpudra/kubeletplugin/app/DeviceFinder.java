package io.gpudra.kubeletplugin.app;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoDriver;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoGpus;
import io.gpudra.kubeletplugin.device.DeferredDevices;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeFaults;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.FakeNodeProfiles;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsProcesses;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth;
import io.gpudra.kubeletplugin.device.nvidia.HealthFile;
import io.gpudra.kubeletplugin.device.nvidia.KnownGpus;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.kubeletplugin.device.nvidia.PciTree;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/**
 * Finds the GPUs to serve. A driver may be installed later than the plugin, from a container of its
 * own, and may be repaired meanwhile. A node without a GPU needs no driver.
 */
final class DeviceFinder {

  /** A driver whose calls hang may take half a minute; the kubelet is served meanwhile. */
  private static final Duration MAX_SEARCH = Duration.ofSeconds(5);

  private final PluginOptions options;
  private final StateFiles state;

  /** Guarded by this: the search in progress. */
  private Optional<FutureTask<GpuDevices>> running = Optional.empty();

  DeviceFinder(PluginOptions options, StateFiles state) {
    this.options = options;
    this.state = state;
  }

  /** Runs in parallel to the start of other parts. */
  static void warmUp(PluginOptions options) {
    if (options.devices != PluginOptions.Kind.FAKE) {
      new Thread(Nvml::warmUp, "warm-up").start();
    }
  }

  /** The GPUs that exist now; others may come later. */
  DeferredDevices open() throws IOException {
    return new DeferredDevices(options.devices == PluginOptions.Kind.FAKE ? fake() : awaited());
  }

  /**
   * Searches for GPUs that were absent; returns whether they have just come. Without a GPU on the
   * bus no driver is tried again, since each try would search for a GPU itself.
   */
  boolean comes(DeferredDevices devices) throws IOException {
    if (devices.came() || (devices.unreachable().isEmpty() && pci().lacksGpus())) {
      return false;
    }
    GpuDevices next = awaited();
    try {
      devices.become(next);
    } catch (IOException e) {
      next.close();
      throw e;
    }
    return devices.came();
  }

  /** Opens the GPUs that exist now and changes nothing on them. */
  GpuDevices find() throws IOException {
    return options.devices == PluginOptions.Kind.FAKE ? fake() : openNvidia();
  }

  private FakeDevices fake() throws IOException {
    FakeNodeProfile profile =
        Optional.ofNullable(options.profiles)
            .orElseGet(() -> FakeNodeProfiles.parse("latest"))
            .of(options.nodeName);
    FakeFaults faults = new FakeFaults(state.faults(), options.driverName);
    return new FakeDevices(profile, options.nodeName, MpsProcesses.fake(state.mps()), faults)
        .keptIn(state.devices());
  }

  private synchronized GpuDevices awaited() {
    FutureTask<GpuDevices> search = running.orElseGet(this::begin);
    running = Optional.of(search);
    try {
      GpuDevices found = requireNonNull(Uninterruptibles.getUninterruptibly(search, MAX_SEARCH));
      running = Optional.empty();
      return found;
    } catch (TimeoutException e) {
      return absent("the driver does not answer; see what the kernel says of it (dmesg)");
    } catch (ExecutionException e) {
      running = Optional.empty();
      return absent(String.valueOf(e.getCause()));
    }
  }

  private FutureTask<GpuDevices> begin() {
    FutureTask<GpuDevices> search = new FutureTask<>(this::nvidia);
    Thread thread = new Thread(search, "find-driver");
    thread.setDaemon(true);
    thread.start();
    return search;
  }

  private NoDriver absent(String why) {
    return new NoDriver(why, KnownGpus.before(state.gpus()));
  }

  private GpuDevices nvidia() {
    try {
      return openNvidia().keptIn(state.gpus());
    } catch (IOException e) {
      return pci().lacksGpus() ? new NoGpus() : absent(String.valueOf(e.getMessage()));
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
        new GpuHealth(
            options.driverName,
            ImmutableSet.copyOf(options.ignoredXids),
            ImmutableSet.copyOf(options.evictOn),
            file,
            Clock.systemUTC()));
  }
}
