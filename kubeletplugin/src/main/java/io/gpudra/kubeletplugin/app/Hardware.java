package io.gpudra.kubeletplugin.app;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeFaults;
import io.gpudra.kubeletplugin.device.Profile;
import io.gpudra.kubeletplugin.device.Profiles;
import io.gpudra.kubeletplugin.device.mps.MpsProcesses;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.Health;
import io.gpudra.kubeletplugin.device.nvidia.HealthFile;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the GPUs that are to be served. A driver may come later than we, from a container of its
 * own, and may be repaired while we wait: that ends no process, and what it waits for is told.
 */
record Hardware(PluginOptions options, StateFiles state) {

  private static final Logger log = LoggerFactory.getLogger(Hardware.class);
  private static final Duration AGAIN = Duration.ofSeconds(10);

  /** While others start. */
  static void warmUp(PluginOptions options) {
    if (options.devices != PluginOptions.Kind.FAKE) {
      new Thread(Nvml::warmUp, "warm-up").start();
    }
  }

  /** Waits for a driver as long as it takes, and tells each time why it is not there yet. */
  Devices await(Consumer<String> waitsFor) throws IOException {
    return options.devices == PluginOptions.Kind.FAKE ? fake() : nvidia(waitsFor);
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

  private NvidiaDevices nvidia(Consumer<String> waitsFor) {
    String before = "";
    while (true) {
      try {
        return openNvidia().keptIn(state.gpus());
      } catch (IOException e) {
        String why = String.valueOf(e.getMessage());
        if (!why.equals(before)) {
          log.error("no GPU can be served yet reason=\"{}\"", why);
        }
        before = why;
        waitsFor.accept(why);
        Uninterruptibles.sleepUninterruptibly(AGAIN);
      }
    }
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
        Optional.ofNullable(options.kernelRoot).orElse(options.nodeRoot),
        root.mps(state.mps()),
        new Health(
            options.driverName,
            ImmutableSet.copyOf(options.ignoredXids),
            ImmutableSet.copyOf(options.evictOn),
            file,
            Clock.systemUTC()));
  }
}
