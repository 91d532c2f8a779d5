package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import com.sun.jna.Pointer;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** The MIG mode and the instances of one GPU. */
public final class NvmlMig {

  private static final int MAX_PLACEMENTS = 64;

  /** More than there are slices: the driver returns all that exist, and counts wrong on an A30. */
  static final int MAX_INSTANCES = 16;

  /** Answers for an index or a handle without a MIG device. */
  private static final ImmutableSet<NvmlReturn> NO_DEVICE =
      ImmutableSet.of(NvmlReturn.NOT_FOUND, NvmlReturn.INVALID_ARGUMENT, NvmlReturn.NOT_SUPPORTED);

  private final Nvml session;
  private final Pointer gpu;

  /** The numbers of compute instance profiles by that of the GPU instance profile, once known. */
  private final Map<Integer, ImmutableSet<Integer>> computeNumbers = new ConcurrentHashMap<>();

  NvmlMig(Nvml session, Pointer gpu) {
    this.session = session;
    this.gpu = gpu;
  }

  /**
   * Whether MIG is enabled now.
   *
   * @param pending the mode after a reset
   */
  public record Mode(boolean enabled, boolean pending) {}

  /** A MIG device: a compute instance of a GPU instance, each by its number. */
  public record Device(String uuid, int gpuInstance, int computeInstance) {}

  /** The mode; absent when the GPU does not support MIG. */
  public Optional<Mode> mode() throws NvmlException {
    int[] current = new int[1];
    int[] pending = new int[1];
    boolean capable =
        session.supports(
            "nvmlDeviceGetMigMode", library -> library.nvmlDeviceGetMigMode(gpu, current, pending));
    return capable ? Optional.of(new Mode(current[0] == 1, pending[0] == 1)) : Optional.empty();
  }

  /**
   * Switches the mode. The handle of the GPU may be dead afterwards. A switch that cannot happen at
   * once is reverted: the driver would do it at the next reset, even if no longer wanted.
   *
   * @throws NvmlException also when the call succeeded but the mode is not active: {@code IN_USE},
   *     {@code RESET_REQUIRED}
   */
  public void switchTo(boolean enabled) throws NvmlException {
    int[] activation = new int[1];
    session.check("nvmlDeviceSetMigMode", library -> set(library, enabled, activation));
    NvmlReturn active = NvmlReturn.of(activation[0]);
    if (active != NvmlReturn.SUCCESS) {
      var unused = session.answer(library -> set(library, !enabled, activation));
      throw session.refused("nvmlDeviceSetMigMode", active);
    }
  }

  private int set(NvmlLibrary library, boolean enabled, int[] activation) {
    return library.nvmlDeviceSetMigMode(gpu, enabled ? 1 : 0, activation);
  }

  /** Its profiles; empty with a driver that does not report places. */
  public ImmutableList<GpuInstanceProfile> profiles() throws NvmlException {
    ImmutableList.Builder<GpuInstanceProfile> profiles = ImmutableList.builder();
    ImmutableMap<Integer, NvmlStruct> known =
        session.numbered(
            "nvmlDeviceGetGpuInstanceProfileInfo",
            NvmlStructLayout.GPU_INSTANCE_PROFILE,
            Nvml.ALL_NUMBERS,
            (library, number, info) ->
                library.nvmlDeviceGetGpuInstanceProfileInfo(gpu, number, info));
    for (Map.Entry<Integer, NvmlStruct> one : known.entrySet()) {
      profile(one.getKey(), one.getValue()).ifPresent(profiles::add);
    }
    return profiles.build();
  }

  private Optional<GpuInstanceProfile> profile(int number, NvmlStruct info) throws NvmlException {
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

  /** The name, which only newer drivers report, and some only in MIG mode. */
  private Optional<String> name(int number) {
    NvmlStruct named = new NvmlStruct(NvmlStructLayout.GPU_INSTANCE_PROFILE_V2);
    NvmlReturn answer =
        session.answer(
            library -> library.nvmlDeviceGetGpuInstanceProfileInfoV(gpu, number, named.bytes()));
    return Optional.of(named.text("name"))
        .filter(name -> answer == NvmlReturn.SUCCESS && !name.isEmpty())
        .map(name -> name.startsWith("MIG ") ? name.substring(4) : name);
  }

  /** The places; absent for a profile that the GPU does not have in its current state. */
  private Optional<ImmutableList<Placement>> placements(int profileId) throws NvmlException {
    ImmutableList<Placement> placements =
        placements(
            session,
            "nvmlDeviceGetGpuInstancePossiblePlacements",
            (library, found, count) ->
                library.nvmlDeviceGetGpuInstancePossiblePlacements_v2(
                    gpu, profileId, found, count));
    return placements.isEmpty() ? Optional.empty() : Optional.of(placements);
  }

  /** A function that lists placements. */
  interface PlacementsCall {
    int on(NvmlLibrary library, byte[] found, int[] count);
  }

  /** The places; empty where the driver knows none, or has no such function. */
  static ImmutableList<Placement> placements(Nvml session, String function, PlacementsCall call)
      throws NvmlException {
    byte[] found = new byte[MAX_PLACEMENTS * NvmlStructLayout.PLACEMENT.size()];
    int[] count = {MAX_PLACEMENTS};
    NvmlReturn answer = session.answer(library -> call.on(library, found, count));
    boolean known = answer != NvmlReturn.INVALID_ARGUMENT && session.supports(function, answer);
    return IntStream.range(0, known ? Math.min(count[0], MAX_PLACEMENTS) : 0)
        .mapToObj(i -> NvmlStruct.of(NvmlStructLayout.PLACEMENT, found, i))
        .map(one -> new Placement(one.number("start"), one.number("size")))
        .collect(toImmutableList());
  }

  /** Its GPU instances of one kind. */
  public ImmutableList<NvmlGpuInstance> instances(GpuInstanceProfile profile) throws NvmlException {
    ImmutableList.Builder<NvmlGpuInstance> instances = ImmutableList.builder();
    for (Pointer handle : handles(profile)) {
      instances.add(NvmlGpuInstance.of(this, handle, profile));
    }
    return instances.build();
  }

  /** The one at a place, if it exists. The last is compared first: it is often the newest. */
  public Optional<NvmlGpuInstance> instance(GpuInstanceProfile profile, Placement place)
      throws NvmlException {
    for (Pointer handle : Lists.reverse(handles(profile))) {
      NvmlGpuInstance instance = NvmlGpuInstance.of(this, handle, profile);
      if (instance.placement().equals(place)) {
        return Optional.of(instance);
      }
    }
    return Optional.empty();
  }

  private List<Pointer> handles(GpuInstanceProfile profile) throws NvmlException {
    Pointer[] found = new Pointer[Math.max(MAX_INSTANCES, profile.most())];
    int[] count = {found.length};
    session.check(
        "nvmlDeviceGetGpuInstances",
        library -> library.nvmlDeviceGetGpuInstances(gpu, profile.id(), found, count));
    return Arrays.asList(found).subList(0, count[0]);
  }

  /** The compute instance profiles of a GPU instance, queried through its handle each time. */
  ImmutableList<ComputeProfile> computeProfiles(GpuInstanceProfile profile, Pointer instance)
      throws NvmlException {
    ImmutableSet<Integer> numbers = computeNumbers.getOrDefault(profile.number(), Nvml.ALL_NUMBERS);
    ImmutableList<ComputeProfile> known = ComputeProfile.of(session, instance, numbers);
    if (!known.isEmpty()) {
      computeNumbers.put(
          profile.number(),
          known.stream().map(ComputeProfile::number).collect(ImmutableSet.toImmutableSet()));
    }
    return known;
  }

  Nvml session() {
    return session;
  }

  /** Creates one at a place; without a place, the driver chooses one that blocks others. */
  public void make(GpuInstanceProfile profile, Placement place) throws NvmlException {
    NvmlStruct where =
        new NvmlStruct(NvmlStructLayout.PLACEMENT)
            .put("start", place.start())
            .put("size", place.size());
    var unused =
        session.handle(
            "nvmlDeviceCreateGpuInstanceWithPlacement",
            (library, made) ->
                library.nvmlDeviceCreateGpuInstanceWithPlacement(
                    gpu, profile.id(), where.bytes(), made));
  }

  /** Its MIG devices, in no meaningful order. */
  public ImmutableList<Device> devices() throws NvmlException {
    return devices(instance -> true, Integer.MAX_VALUE);
  }

  /**
   * The MIG devices of a GPU instance, up to the wanted number: for each index, the library reads
   * all devices of the GPU.
   */
  public ImmutableList<Device> devices(NvmlGpuInstance of, int wanted) throws NvmlException {
    return devices(instance -> instance == of.number(), wanted);
  }

  private ImmutableList<Device> devices(IntPredicate ofInstance, int wanted) throws NvmlException {
    int[] most = new int[1];
    boolean capable =
        session.supports(
            "nvmlDeviceGetMaxMigDeviceCount",
            library -> library.nvmlDeviceGetMaxMigDeviceCount(gpu, most));
    List<Device> devices = new ArrayList<>();
    for (int i = 0; capable && i < most[0] && devices.size() < wanted; i++) {
      device(i, ofInstance).ifPresent(devices::add);
    }
    return ImmutableList.copyOf(devices);
  }

  /** The device at an index. Indices have gaps, and a handle outlives its MIG device. */
  private Optional<Device> device(int index, IntPredicate ofInstance) throws NvmlException {
    try {
      Pointer handle =
          session.handle(
              "nvmlDeviceGetMigDeviceHandleByIndex",
              (library, found) -> library.nvmlDeviceGetMigDeviceHandleByIndex(gpu, index, found));
      int instance = gpuInstance(handle);
      return ofInstance.test(instance) ? Optional.of(device(handle, instance)) : Optional.empty();
    } catch (NvmlException e) {
      if (!NO_DEVICE.contains(e.answer())) {
        throw e;
      }
      return Optional.empty();
    }
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
