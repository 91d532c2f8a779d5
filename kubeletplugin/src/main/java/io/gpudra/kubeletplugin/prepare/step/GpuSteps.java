package io.gpudra.kubeletplugin.prepare.step;

import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.GpuDevices;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps that change GPUs for a claim. Each runs under the lock of its GPU, and checks under it
 * whether another claim still needs the device that an undo would remove.
 */
public final class GpuSteps {

  private static final Logger log = LoggerFactory.getLogger(GpuSteps.class);

  private GpuSteps() {}

  /** Another step, while no other call changes the GPU. */
  public record Locked(GpuLocks locks, String gpuUuid, PrepareStep step) implements PrepareStep {
    @Override
    public void apply() throws IOException {
      locks.under(gpuUuid, step::apply);
    }

    @Override
    public void undo() throws IOException {
      locks.under(gpuUuid, step::undo);
    }
  }

  /** Another step, which has nothing left to undo when the GPU is lost. */
  public record UntilLost(GpuDevices devices, String gpuUuid, PrepareStep step)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      step.apply();
    }

    @Override
    public void undo() throws IOException {
      try {
        step.undo();
      } catch (IOException e) {
        if (isThere()) {
          throw e;
        }
        log.warn("skipping the cleanup of a lost GPU gpu={} reason={}", gpuUuid, e.getMessage());
      }
    }

    private boolean isThere() {
      return devices.find(gpuUuid).stream()
          .anyMatch(gpu -> gpu.taints().stream().noneMatch(DeviceTaint::concernsLoss));
    }
  }

  /** Makes one GPU ready. */
  public record SetUpGpu(GpuDevices devices, String gpuUuid, BooleanSupplier needed)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      devices.setUp(gpuUuid);
    }

    @Override
    public void undo() throws IOException {
      if (!needed.getAsBoolean()) {
        devices.tearDown(gpuUuid);
      }
    }
  }

  /**
   * Makes the GPU partitionable, or usable as a whole. The mode stays afterwards: a switch needs an
   * idle GPU, and the next claim may need the same mode.
   */
  public record SwitchMig(GpuDevices devices, String gpuUuid, MigMode wanted)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      Gpu gpu = gpu(devices, gpuUuid);
      // For a whole GPU, a mode that an administrator fixed is not switched.
      boolean given =
          gpu.mig().mode() == wanted || (wanted == MigMode.DISABLED && !gpu.mig().switchable());
      if (!given) {
        devices.setMigMode(gpuUuid, wanted);
      }
    }

    @Override
    public void undo() {}
  }

  /**
   * Creates a GPU instance; the last claim that has a part of it destroys it. Instances of other
   * software stay.
   *
   * @param slice the claim's part of it, or all of it
   * @param beside whether another claim has a part of it
   * @param needed whether another claim has a part of it and will not destroy it
   */
  public record MakeGpuInstance(
      GpuDevices devices,
      String gpuUuid,
      Slice slice,
      CreatedMigDevice.Notes notes,
      BooleanSupplier beside,
      BooleanSupplier needed)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      Slice instance = slice.wholeInstance();
      devices.inspect(gpuUuid, instance);
      boolean first = notes.made().equals(CreatedMigDevice.NOTHING);
      boolean joins = first && beside.getAsBoolean();
      if (isForeign(devices, gpuUuid, instance, there -> joins || covers(there))) {
        throw new IOException(
            "MIG %s at %d of %s was not created for this claim"
                .formatted(slice.profile(), slice.start(), gpuUuid));
      }
      devices.makeGpuInstance(gpuUuid, instance);
      if (first || whole(devices, gpuUuid, slice).isEmpty()) {
        notes.record(CreatedMigDevice.ALL);
      }
    }

    private boolean covers(MigState.Device there) {
      return notes.made().covers(there, slice);
    }

    @Override
    public void undo() throws IOException {
      Slice instance = slice.wholeInstance();
      devices.inspect(gpuUuid, instance);
      if (!isForeign(devices, gpuUuid, instance, this::covers) && !needed.getAsBoolean()) {
        devices.destroyGpuInstance(gpuUuid, instance);
      }
    }
  }

  private static boolean isForeign(
      GpuDevices devices, String gpuUuid, Slice instance, Predicate<MigState.Device> ours) {
    return devices.find(gpuUuid).stream()
        .flatMap(gpu -> gpu.mig().devices().stream())
        .filter(there -> there.slice().wholeInstance().samePlace(instance))
        .anyMatch(there -> there.foreign() || !ours.test(there));
  }

  /** Creates a compute instance, which a claim shares with no other. */
  public record MakeComputeInstance(
      GpuDevices devices, String gpuUuid, Slice slice, CreatedMigDevice.Notes notes)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      devices.makeComputeInstance(gpuUuid, slice);
      whole(devices, gpuUuid, slice)
          .ifPresent(made -> notes.record(CreatedMigDevice.device(made.uuid())));
    }

    private boolean isOurs(MigState.Device device) {
      return !device.foreign() && notes.made().covers(device, slice);
    }

    @Override
    public void undo() throws IOException {
      devices.inspect(gpuUuid, slice.wholeInstance());
      if (whole(devices, gpuUuid, slice).filter(this::isOurs).isPresent()) {
        devices.destroyComputeInstance(gpuUuid, slice);
      }
    }
  }

  /** Sets the length of turns; any number of processes may share them. */
  public record SetTimeSlice(
      GpuDevices devices, String gpuUuid, Interval interval, BooleanSupplier needed)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      devices.setComputeMode(gpuUuid, ComputeMode.DEFAULT);
      if (changes()) {
        devices.setTimeSlice(gpuUuid, interval);
      }
    }

    /** The default needs no setting, which not every GPU and driver has. */
    private boolean changes() {
      return interval != Interval.DEFAULT;
    }

    @Override
    public void undo() throws IOException {
      if (changes() && runsItself(devices, gpuUuid) && !needed.getAsBoolean()) {
        devices.setTimeSlice(gpuUuid, Interval.DEFAULT);
      }
    }
  }

  /** Leaves the GPU to its MPS server. */
  public record KeepForServer(GpuDevices devices, String gpuUuid, BooleanSupplier needed)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      devices.setComputeMode(gpuUuid, ComputeMode.EXCLUSIVE_PROCESS);
    }

    @Override
    public void undo() throws IOException {
      if (runsItself(devices, gpuUuid) && !needed.getAsBoolean()) {
        devices.setComputeMode(gpuUuid, ComputeMode.DEFAULT);
      }
    }
  }

  /** Runs the server of devices; the last of its clients stops it. */
  public record RunMps(GpuDevices devices, MpsClients clients, BooleanSupplier needed)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      devices.startMps(clients.server(devices));
    }

    @Override
    public void undo() throws IOException {
      if (!needed.getAsBoolean()) {
        devices.stopMps(clients.name());
      }
    }
  }

  /** Whether the GPU has settings: a GPU in MIG mode has none, and refuses calls for them. */
  private static boolean runsItself(GpuDevices devices, String uuid) {
    return devices.find(uuid).filter(gpu -> gpu.mig().mode() != MigMode.ENABLED).isPresent();
  }

  static Gpu gpu(GpuDevices devices, String uuid) throws IOException {
    return devices.find(uuid).orElseThrow(() -> new IOException("the node has no GPU " + uuid));
  }

  /** The UUID of the MIG device, or of the GPU itself. */
  static String uuid(GpuDevices devices, GrantedDevice device) throws IOException {
    return device.part().part() instanceof Slice slice
        ? migDevice(devices, device.uuid(), slice)
            .orElseThrow(() -> new IOException(device.name() + " is not there"))
            .uuid()
        : device.uuid();
  }

  /** The MIG device of the slice, if it was created. */
  static Optional<MigState.Device> migDevice(GpuDevices devices, String gpuUuid, Slice slice) {
    return migDevice(devices, gpuUuid, device -> device.slice().equals(slice));
  }

  private static Optional<MigState.Device> whole(GpuDevices devices, String gpuUuid, Slice slice) {
    return migDevice(devices, gpuUuid, device -> device.slice().samePlace(slice))
        .filter(MigState.Device::isWhole);
  }

  private static Optional<MigState.Device> migDevice(
      GpuDevices devices, String gpuUuid, Predicate<MigState.Device> wanted) {
    return devices.find(gpuUuid).stream()
        .flatMap(gpu -> gpu.mig().devices().stream())
        .filter(wanted)
        .findFirst();
  }
}
