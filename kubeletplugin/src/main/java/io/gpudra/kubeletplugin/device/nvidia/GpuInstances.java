package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import io.gpudra.kubeletplugin.device.nvml.NvmlEvents.Event;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpuInstance;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpuInstance.Compute;
import io.gpudra.kubeletplugin.device.nvml.NvmlMig;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** The instances of one GPU, read anew each time: the driver reuses all numbers. */
record GpuInstances(DiscoveredGpu gpu) {

  /** A process that ended may keep an instance for a moment (nvidia.md 2.5). */
  private static final Duration IN_USE = Duration.ofSeconds(5);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

  /** Independent of the order of creation, so that unchanged devices are reported unchanged. */
  private static final Comparator<MigState.Device> BY_PLACE =
      Comparator.<MigState.Device>comparingInt(device -> device.slice().start())
          .thenComparingInt(device -> device.slice().instance().map(Instance::start).orElse(0));

  MigState state() throws NvmlException {
    Optional<NvmlMig.Mode> mode = mig().mode();
    if (mode.isEmpty()) {
      return MigState.of(MigMode.UNSUPPORTED);
    }
    boolean enabled = mode.get().enabled();
    return new MigState(
        enabled ? MigMode.ENABLED : MigMode.DISABLED,
        gpu.architecture() >= NvmlCatalogue.HOPPER,
        enabled ? devices() : ImmutableList.of());
  }

  /** The same state, when only this slice may have changed since the GPU was discovered. */
  MigState stateAround(Slice slice) throws IOException {
    MigState known = gpu.gpu().mig();
    Optional<NvmlGpuInstance> instance = find(slice);
    List<MigState.Device> devices = new ArrayList<>(known.devices());
    devices.removeIf(one -> isAt(one, slice));
    if (instance.isPresent()) {
      NvmlGpuInstance there = instance.get();
      devices.addAll(
          devices(gpu.name(there.profile()), there, computes -> mig().devices(there, computes)));
    }
    return new MigState(known.mode(), known.switchable(), byPlace(devices));
  }

  private static ImmutableList<MigState.Device> byPlace(List<MigState.Device> devices) {
    return ImmutableList.sortedCopyOf(BY_PLACE, devices);
  }

  private static boolean isAt(MigState.Device device, Slice slice) {
    return device.slice().wholeInstance().samePlace(slice.wholeInstance());
  }

  private NvmlMig mig() {
    return gpu.handle().mig();
  }

  private ImmutableList<MigState.Device> devices() throws NvmlException {
    ImmutableList<NvmlMig.Device> uuids = mig().devices();
    List<MigState.Device> devices = new ArrayList<>();
    for (Map.Entry<String, GpuInstanceProfile> kind : gpu.profiles().entrySet()) {
      for (NvmlGpuInstance instance : mig().instances(kind.getValue())) {
        devices.addAll(devices(kind.getKey(), instance, computes -> uuids));
      }
    }
    return byPlace(devices);
  }

  /** Lists MIG devices, including those of a GPU instance with this number of compute instances. */
  private interface Named {
    ImmutableList<NvmlMig.Device> of(int computes) throws NvmlException;
  }

  private ImmutableList<MigState.Device> devices(
      String profile, NvmlGpuInstance instance, Named named) throws NvmlException {
    Slice whole =
        new Slice(
            profile,
            instance.placement().start(),
            instance.placement().size(),
            instance.profile().compute(),
            Optional.empty());
    ImmutableList<Compute> computes = instance.computes();
    if (computes.isEmpty()) {
      return ImmutableList.of(device(unnamed(instance), whole));
    }
    ImmutableList<NvmlMig.Device> uuids = named.of(computes.size());
    ImmutableList.Builder<MigState.Device> devices = ImmutableList.builder();
    for (Compute compute : computes) {
      devices.add(device(uuid(instance, compute, uuids), within(whole, compute.place())));
    }
    return devices.build();
  }

  /** The complete MIG devices of an instance, by its current numbers. */
  ImmutableList<MigState.Device> in(Event.Instance where) throws NvmlException {
    for (Map.Entry<String, GpuInstanceProfile> kind : gpu.profiles().entrySet()) {
      for (NvmlGpuInstance instance : mig().instances(kind.getValue())) {
        if (instance.number() == where.gpu()) {
          return devices(kind.getKey(), instance, computes -> named(where)).stream()
              .filter(MigState.Device::isWhole)
              .collect(toImmutableList());
        }
      }
    }
    return ImmutableList.of();
  }

  private ImmutableList<NvmlMig.Device> named(Event.Instance where) throws NvmlException {
    return mig().devices().stream()
        .filter(device -> device.gpuInstance() == where.gpu())
        .filter(
            device -> where.compute().orElse(device.computeInstance()) == device.computeInstance())
        .collect(toImmutableList());
  }

  private static MigState.Device device(String uuid, Slice slice) {
    return new MigState.Device(uuid, slice, Optional.empty(), /* foreign= */ false);
  }

  private String unnamed(NvmlGpuInstance instance) {
    return MigState.Device.halfMade(gpu.gpu().uuid(), instance.number());
  }

  /** An instance may change between the list of instances and the list of devices. */
  private String uuid(
      NvmlGpuInstance instance, Compute compute, ImmutableList<NvmlMig.Device> uuids) {
    return uuids.stream()
        .filter(device -> device.gpuInstance() == instance.number())
        .filter(device -> device.computeInstance() == compute.number())
        .map(NvmlMig.Device::uuid)
        .findFirst()
        .orElseGet(() -> unnamed(instance));
  }

  private static Slice within(Slice whole, Placement place) {
    return place.size() == whole.compute()
        ? whole
        : whole.with(Optional.of(new Instance(place.start(), place.size())));
  }

  /** Finds it by its place in all profiles: the current driver may name the profile differently. */
  private Optional<NvmlGpuInstance> find(Slice slice) throws NvmlException {
    Placement wanted = new Placement(slice.start(), slice.size());
    for (GpuInstanceProfile profile : gpu.profilesLike(slice)) {
      Optional<NvmlGpuInstance> there = mig().instance(profile, wanted);
      if (there.isPresent()) {
        return there;
      }
    }
    return Optional.empty();
  }

  void make(Slice slice) throws IOException {
    if (find(slice).isEmpty()) {
      mig().make(gpu.profile(slice), new Placement(slice.start(), slice.size()));
    }
  }

  void destroy(Slice slice) throws IOException {
    Optional<NvmlGpuInstance> there = find(slice);
    if (there.isPresent()) {
      patiently(there.get()::destroy);
    }
  }

  void makeCompute(Slice slice) throws IOException {
    NvmlGpuInstance instance =
        find(slice)
            .orElseThrow(
                () ->
                    new IOException(
                        "MIG %s at %d of %s: there is no GPU instance"
                            .formatted(slice.profile(), slice.start(), gpu.gpu().name())));
    if (compute(instance, slice).isEmpty()) {
      instance.make(place(slice));
    }
  }

  /** The numbers of the instances of a MIG device, valid while it exists. */
  record Numbers(int gpuInstance, int computeInstance) {}

  Numbers numbers(Slice slice) throws IOException {
    Optional<NvmlGpuInstance> instance = find(slice);
    Optional<Compute> compute =
        instance.isPresent() ? compute(instance.get(), slice) : Optional.empty();
    return compute
        .map(there -> new Numbers(instance.orElseThrow().number(), there.number()))
        .orElseThrow(() -> new IOException(slice.nameOn(gpu.gpu().name()) + " is not there"));
  }

  void destroyCompute(Slice slice) throws IOException {
    Optional<NvmlGpuInstance> instance = find(slice);
    Optional<Compute> there =
        instance.isPresent() ? compute(instance.get(), slice) : Optional.empty();
    if (there.isPresent()) {
      patiently(() -> instance.get().destroy(there.get()));
    }
  }

  private static Optional<Compute> compute(NvmlGpuInstance instance, Slice slice)
      throws NvmlException {
    return instance.computes().stream()
        .filter(compute -> compute.place().equals(place(slice)))
        .findFirst();
  }

  /** The place in compute slices of the GPU instance. */
  private static Placement place(Slice slice) {
    return slice
        .instance()
        .map(one -> new Placement(one.start(), one.compute()))
        .orElseGet(() -> new Placement(0, slice.compute()));
  }

  private interface Destruction {
    void run() throws NvmlException;
  }

  private static void patiently(Destruction destruction) throws NvmlException {
    long end = System.nanoTime() + IN_USE.toNanos();
    for (long pause = FIRST_PAUSE.toNanos(); ; pause *= 2) {
      try {
        destruction.run();
        return;
      } catch (NvmlException e) {
        if (e.answer() != NvmlReturn.IN_USE || System.nanoTime() + pause > end) {
          throw e;
        }
      }
      LockSupport.parkNanos(pause);
    }
  }
}
