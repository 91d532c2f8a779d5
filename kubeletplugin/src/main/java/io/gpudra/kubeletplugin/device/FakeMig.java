package io.gpudra.kubeletplugin.device;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartConflict;
import io.gpudra.crds.usage.PartHolding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One GPU's MIG mode and instances, with the restrictions of real ones (nvidia.md 2): numbers of
 * instances are assigned in no order and reused, a MIG device has another UUID each time it is
 * created, and an instance in use is not destroyed. Not thread-safe by itself.
 */
final class FakeMig {

  /** Numbers of GPU instances, whose order is unrelated to profile and place. */
  private static final ImmutableList<Integer> NUMBERS =
      ImmutableList.of(9, 2, 11, 5, 1, 13, 7, 3, 12, 6, 8, 10, 4, 14);

  /** Later architectures forget the mode at a boot (nvidia.md 2.5). */
  private static final String KEEPS_MODE = "Ampere";

  private final Gpu gpu;
  private final List<GpuInstance> instances = new ArrayList<>();
  private MigMode mode;
  private int made;

  private static final class GpuInstance {
    private final int number;
    private final Slice slice;
    private final boolean foreign;
    private final List<ComputeInstance> compute = new ArrayList<>();

    GpuInstance(int number, Slice slice, boolean foreign) {
      this.number = number;
      this.slice = slice;
      this.foreign = foreign;
    }
  }

  private record ComputeInstance(Slice slice, String uuid) {}

  FakeMig(Gpu gpu) {
    this.gpu = gpu;
    this.mode = gpu.mig().mode();
    boot();
  }

  private void boot() {
    instances.clear();
    for (MigState.Device device : gpu.mig().devices()) {
      GpuInstance there =
          new GpuInstance(freeNumber(), device.slice().wholeInstance(), device.foreign());
      there.compute.add(new ComputeInstance(device.slice(), device.uuid()));
      instances.add(there);
    }
  }

  /** The state that a restarted process needs. */
  FakeMemory.Cut remember() {
    return new FakeMemory.Cut(
        mode, made, gpu.mig().toString(), instances.stream().map(FakeMig::remember).toList());
  }

  private static FakeMemory.GpuInstance remember(GpuInstance one) {
    return new FakeMemory.GpuInstance(
        one.number,
        FakeMemory.Place.of(one.slice),
        one.foreign,
        one.compute.stream()
            .map(compute -> FakeMemory.ComputeInstance.of(compute.uuid, compute.slice))
            .toList());
  }

  /** Restores the state, unless it is that of another kind of GPU. */
  void recall(FakeMemory.Cut before) {
    if (!before.atBoot().equals(gpu.mig().toString())) {
      return;
    }
    mode = before.mode();
    made = before.made();
    instances.clear();
    before.instances().forEach(one -> instances.add(recall(one)));
  }

  private static GpuInstance recall(FakeMemory.GpuInstance one) {
    Slice slice = one.place().slice();
    GpuInstance there = new GpuInstance(one.number(), slice, one.foreign());
    one.compute()
        .forEach(
            compute -> there.compute.add(new ComputeInstance(compute.in(slice), compute.uuid())));
    return there;
  }

  MigState state() {
    return new MigState(
        mode,
        gpu.mig().switchable(),
        instances.stream().flatMap(this::devices).collect(toImmutableList()));
  }

  private Stream<MigState.Device> devices(GpuInstance instance) {
    if (instance.compute.isEmpty()) {
      String name = MigState.Device.halfMade(gpu.uuid(), instance.number);
      return Stream.of(
          new MigState.Device(name, instance.slice, Optional.empty(), instance.foreign));
    }
    return instance.compute.stream()
        .map(
            compute ->
                new MigState.Device(
                    compute.uuid, compute.slice, Optional.empty(), instance.foreign));
  }

  void switchTo(MigMode wanted, boolean inUse) throws IOException {
    if (mode == wanted) {
      return;
    }
    if (mode == MigMode.UNSUPPORTED) {
      throw new IOException("MIG mode of %s: Not Supported".formatted(gpu.name()));
    }
    if (!gpu.mig().switchable()) {
      throw new IOException("MIG mode of %s: it takes a reset".formatted(gpu.name()));
    }
    if (inUse || !instances.isEmpty()) {
      throw new IOException("MIG mode of %s: In use by another client".formatted(gpu.name()));
    }
    mode = wanted;
  }

  void make(Slice slice) throws IOException {
    if (find(slice).isPresent()) {
      return;
    }
    if (mode != MigMode.ENABLED) {
      throw refused(slice, "MIG mode is off");
    }
    Optional<PartConflict> conflict = conflictWith(slice);
    if (conflict.isPresent()) {
      throw refused(slice, "Insufficient Resources, " + conflict.get());
    }
    instances.add(new GpuInstance(freeNumber(), slice, /* foreign= */ false));
  }

  private Optional<PartConflict> conflictWith(Slice slice) {
    ImmutableList<Slice> all =
        Stream.concat(instances.stream().map(there -> there.slice), Stream.of(slice))
            .collect(toImmutableList());
    return GpuUsage.of(
            GpuShape.bare(gpu),
            IntStream.range(0, all.size())
                .mapToObj(i -> holding("instance-" + i, all.get(i)))
                .collect(toImmutableList()))
        .conflict();
  }

  private PartHolding holding(String of, Slice slice) {
    return new PartHolding(
        new ClaimUid(of),
        new GrantedPart(
            gpu.uuid(),
            slice,
            SharingStrategy.NONE,
            100,
            false,
            Optional.empty(),
            Optional.empty()));
  }

  void destroy(Slice slice) throws IOException {
    Optional<GpuInstance> there = find(slice);
    if (there.isPresent() && !there.get().compute.isEmpty()) {
      throw refused(slice, "In use by another client");
    }
    there.ifPresent(instances::remove);
  }

  void makeCompute(Slice slice) throws IOException {
    GpuInstance there =
        find(slice.wholeInstance()).orElseThrow(() -> refused(slice, "there is no GPU instance"));
    if (there.compute.stream().anyMatch(compute -> compute.slice.equals(slice))) {
      return;
    }
    if (room(slice).start() % room(slice).compute() != 0 && gpu.model().alignsComputeInstances()) {
      throw refused(slice, "Invalid Argument");
    }
    if (there.compute.stream().anyMatch(compute -> meet(compute.slice, slice))) {
      throw refused(slice, "Insufficient Resources");
    }
    made++;
    String seed = gpu.uuid() + "/" + made;
    there.compute.add(
        new ComputeInstance(slice, "MIG-" + UUID.nameUUIDFromBytes(seed.getBytes(UTF_8))));
  }

  private boolean meet(Slice one, Slice other) {
    return room(one).overlaps(room(other));
  }

  private Instance room(Slice slice) {
    return gpu.model().room(slice.instance().orElseGet(() -> new Instance(0, slice.compute())));
  }

  void destroyCompute(Slice slice) {
    find(slice.wholeInstance())
        .ifPresent(there -> there.compute.removeIf(compute -> compute.slice.equals(slice)));
  }

  /** After a boot only the profile's MIG devices exist; some architectures keep the mode. */
  void reset() {
    if (!gpu.model().architecture().equals(KEEPS_MODE)) {
      mode = gpu.mig().mode();
    }
    boot();
  }

  private Optional<GpuInstance> find(Slice slice) {
    return instances.stream().filter(there -> there.slice.sameInstance(slice)).findFirst();
  }

  private int freeNumber() {
    return NUMBERS.stream()
        .filter(number -> instances.stream().noneMatch(there -> there.number == number))
        .findFirst()
        .orElseThrow();
  }

  private IOException refused(Slice slice, String why) {
    return new IOException(
        "MIG %s at %d of %s: %s".formatted(slice.profile(), slice.start(), gpu.name(), why));
  }
}
