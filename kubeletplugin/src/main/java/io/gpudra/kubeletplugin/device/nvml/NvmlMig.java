package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** How one GPU is cut. */
public final class NvmlMig {

  private static final int MOST_PLACEMENTS = 64;

  /** More than there are slices: the driver fills what there is, and counts wrong on an A30. */
  static final int MOST_INSTANCES = 16;

  private final Nvml session;
  private final Pointer gpu;

  /** By the id of the kind of GPU instance; they never change. */
  private final Map<Integer, ImmutableList<ComputeProfile>> computeProfiles =
      new ConcurrentHashMap<>();

  NvmlMig(Nvml session, Pointer gpu) {
    this.session = session;
    this.gpu = gpu;
  }

  /**
   * Whether it can be cut now.
   *
   * @param pending what it will be after a reset
   */
  public record Mode(boolean enabled, boolean pending) {}

  /** A MIG device: a compute instance of a GPU instance, each by its number. */
  public record Device(String uuid, int gpuInstance, int computeInstance) {}

  /** Absent where a GPU cannot be cut. */
  public Optional<Mode> mode() throws NvmlException {
    int[] current = new int[1];
    int[] pending = new int[1];
    boolean capable =
        session.supports(
            "nvmlDeviceGetMigMode", library -> library.nvmlDeviceGetMigMode(gpu, current, pending));
    return capable ? Optional.of(new Mode(current[0] == 1, pending[0] == 1)) : Optional.empty();
  }

  /**
   * Switches the mode. The handle of the GPU is dead afterwards.
   *
   * @throws NvmlException also when all went well but that the mode is not active: {@code IN_USE},
   *     {@code RESET_REQUIRED}
   */
  public void switchTo(boolean enabled) throws NvmlException {
    int[] activation = new int[1];
    session.check(
        "nvmlDeviceSetMigMode",
        library -> library.nvmlDeviceSetMigMode(gpu, enabled ? 1 : 0, activation));
    NvmlReturn active = NvmlReturn.of(activation[0]);
    if (active != NvmlReturn.SUCCESS) {
      throw session.refused("nvmlDeviceSetMigMode", active);
    }
  }

  /** What it can be cut into; nothing with a driver that does not say where. */
  public ImmutableList<GpuInstanceProfile> profiles() throws NvmlException {
    ImmutableList.Builder<GpuInstanceProfile> profiles = ImmutableList.builder();
    ImmutableMap<Integer, Struct> known =
        session.numbered(
            Layout.GPU_INSTANCE_PROFILE,
            (library, number, info) ->
                library.nvmlDeviceGetGpuInstanceProfileInfo(gpu, number, info));
    for (Map.Entry<Integer, Struct> one : known.entrySet()) {
      profile(one.getKey(), one.getValue()).ifPresent(profiles::add);
    }
    return profiles.build();
  }

  private Optional<GpuInstanceProfile> profile(int number, Struct info) throws NvmlException {
    int id = info.number("id");
    return placements(id)
        .map(
            placements ->
                new GpuInstanceProfile(
                    number,
                    id,
                    info.number("sliceCount"),
                    info.number("instanceCount"),
                    info.big("memorySizeMB"),
                    name(number),
                    placements));
  }

  /** Only newer drivers tell, and some only while the GPU can be cut. */
  private Optional<String> name(int number) {
    Struct named = new Struct(Layout.GPU_INSTANCE_PROFILE_V2);
    NvmlReturn answer =
        session.answer(
            library -> library.nvmlDeviceGetGpuInstanceProfileInfoV(gpu, number, named.bytes()));
    return Optional.of(named.text("name"))
        .filter(name -> answer == NvmlReturn.SUCCESS && !name.isEmpty())
        .map(name -> name.startsWith("MIG ") ? name.substring(4) : name);
  }

  private Optional<ImmutableList<Placement>> placements(int profileId) throws NvmlException {
    byte[] found = new byte[MOST_PLACEMENTS * Layout.PLACEMENT.size()];
    int[] count = {MOST_PLACEMENTS};
    boolean known =
        session.supports(
            "nvmlDeviceGetGpuInstancePossiblePlacements",
            library ->
                library.nvmlDeviceGetGpuInstancePossiblePlacements_v2(
                    gpu, profileId, found, count));
    return known && count[0] > 0
        ? Optional.of(
            IntStream.range(0, count[0])
                .mapToObj(i -> Struct.of(Layout.PLACEMENT, found, i))
                .map(one -> new Placement(one.number("start"), one.number("size")))
                .collect(toImmutableList()))
        : Optional.empty();
  }

  /** Its GPU instances of one kind. */
  public ImmutableList<NvmlGpuInstance> instances(GpuInstanceProfile profile) throws NvmlException {
    Pointer[] found = new Pointer[Math.max(MOST_INSTANCES, profile.most())];
    int[] count = {found.length};
    session.check(
        "nvmlDeviceGetGpuInstances",
        library -> library.nvmlDeviceGetGpuInstances(gpu, profile.id(), found, count));
    ImmutableList.Builder<NvmlGpuInstance> instances = ImmutableList.builder();
    for (Pointer handle : Arrays.asList(found).subList(0, count[0])) {
      instances.add(NvmlGpuInstance.of(session, handle, profile, computeProfiles(handle, profile)));
    }
    return instances.build();
  }

  private ImmutableList<ComputeProfile> computeProfiles(
      Pointer instance, GpuInstanceProfile profile) {
    ImmutableList<ComputeProfile> known = computeProfiles.get(profile.id());
    if (known != null) {
      return known;
    }
    ImmutableList<ComputeProfile> told = ComputeProfile.of(session, instance);
    if (!told.isEmpty()) {
      computeProfiles.put(profile.id(), told);
    }
    return told;
  }

  /** Makes one at a place, without which the driver takes one that is in the way of others. */
  public void make(GpuInstanceProfile profile, Placement place) throws NvmlException {
    Struct where =
        new Struct(Layout.PLACEMENT).put("start", place.start()).put("size", place.size());
    var unused =
        session.handle(
            "nvmlDeviceCreateGpuInstanceWithPlacement",
            (library, made) ->
                library.nvmlDeviceCreateGpuInstanceWithPlacement(
                    gpu, profile.id(), where.bytes(), made));
  }

  /** Its MIG devices, in no order that means anything. */
  public ImmutableList<Device> devices() throws NvmlException {
    return devices(instance -> true);
  }

  /** Those of a GPU instance. */
  public ImmutableList<Device> devices(NvmlGpuInstance of) throws NvmlException {
    return devices(instance -> instance == of.number());
  }

  private ImmutableList<Device> devices(IntPredicate ofInstance) throws NvmlException {
    int[] most = new int[1];
    boolean capable =
        session.supports(
            "nvmlDeviceGetMaxMigDeviceCount",
            library -> library.nvmlDeviceGetMaxMigDeviceCount(gpu, most));
    ImmutableList.Builder<Device> devices = ImmutableList.builder();
    for (int i = 0; capable && i < most[0]; i++) {
      Optional<Pointer> device = handle(i);
      int instance = device.isPresent() ? gpuInstance(device.get()) : -1;
      if (device.isPresent() && ofInstance.test(instance)) {
        devices.add(device(device.get(), instance));
      }
    }
    return devices.build();
  }

  /** Their numbers have gaps. */
  private Optional<Pointer> handle(int index) throws NvmlException {
    PointerByReference found = new PointerByReference();
    NvmlReturn answer =
        session.answer(library -> library.nvmlDeviceGetMigDeviceHandleByIndex(gpu, index, found));
    if (answer == NvmlReturn.NOT_FOUND) {
      return Optional.empty();
    }
    if (answer != NvmlReturn.SUCCESS) {
      throw session.refused("nvmlDeviceGetMigDeviceHandleByIndex", answer);
    }
    return Optional.of(found.getValue());
  }

  private int gpuInstance(Pointer device) throws NvmlException {
    return session.number(
        "nvmlDeviceGetGpuInstanceId",
        (library, number) -> library.nvmlDeviceGetGpuInstanceId(device, number));
  }

  private Device device(Pointer device, int gpuInstance) throws NvmlException {
    return new Device(
        session.text(
            "nvmlDeviceGetUUID",
            (library, text, length) -> library.nvmlDeviceGetUUID(device, text, length)),
        gpuInstance,
        session.number(
            "nvmlDeviceGetComputeInstanceId",
            (library, number) -> library.nvmlDeviceGetComputeInstanceId(device, number)));
  }
}
