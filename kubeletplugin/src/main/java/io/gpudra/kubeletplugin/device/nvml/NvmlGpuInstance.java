package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import java.util.Arrays;
import java.util.Comparator;

/** A GPU instance: a part of a GPU with memory of its own. */
public final class NvmlGpuInstance {

  private final Nvml session;
  private final NvmlMig mig;
  private final Pointer handle;
  private final GpuInstanceProfile profile;
  private final int number;
  private final Placement placement;

  /** Empty until they were queried. */
  private ImmutableList<ComputeProfile> kinds = ImmutableList.of();

  private NvmlGpuInstance(
      NvmlMig mig, Pointer handle, GpuInstanceProfile profile, NvmlStruct info) {
    this.session = mig.session();
    this.mig = mig;
    this.handle = handle;
    this.profile = profile;
    this.number = info.number("id");
    this.placement = placement(info, "placement");
  }

  static NvmlGpuInstance of(NvmlMig mig, Pointer handle, GpuInstanceProfile profile)
      throws NvmlException {
    NvmlStruct info = new NvmlStruct(NvmlStructLayout.GPU_INSTANCE);
    mig.session()
        .check(
            "nvmlGpuInstanceGetInfo",
            library -> library.nvmlGpuInstanceGetInfo(handle, info.bytes()));
    return new NvmlGpuInstance(mig, handle, profile, info);
  }

  /**
   * Its kinds of compute instances, queried through each handle before anything else: from 535 on
   * the library knows no compute instance through a handle without this query.
   */
  private ImmutableList<ComputeProfile> kinds() throws NvmlException {
    if (kinds.isEmpty()) {
      kinds = mig.computeProfiles(profile, handle);
    }
    return kinds;
  }

  private static Placement placement(NvmlStruct info, String field) {
    return new Placement(
        info.number(field, NvmlStructLayout.PLACEMENT, "start"),
        info.number(field, NvmlStructLayout.PLACEMENT, "size"));
  }

  /** The driver's number; another instance gets it after this one is gone. */
  public int number() {
    return number;
  }

  public GpuInstanceProfile profile() {
    return profile;
  }

  public Placement placement() {
    return placement;
  }

  /**
   * A compute instance.
   *
   * @param place its compute slices in the GPU instance; the driver's own size has other units on
   *     some architectures, so it does not identify the kind
   */
  public record Compute(int number, Placement place, Pointer handle) {}

  /** The existing compute instances. */
  public ImmutableList<Compute> computes() throws NvmlException {
    ImmutableList.Builder<Compute> all = ImmutableList.builder();
    for (ComputeProfile kind : kinds()) {
      all.addAll(computes(kind));
    }
    return all.build();
  }

  private ImmutableList<Compute> computes(ComputeProfile kind) throws NvmlException {
    Pointer[] found = new Pointer[Math.max(NvmlMig.MAX_INSTANCES, profile.compute())];
    int[] count = {found.length};
    session.check(
        "nvmlGpuInstanceGetComputeInstances",
        library -> library.nvmlGpuInstanceGetComputeInstances(handle, kind.id(), found, count));
    ImmutableList.Builder<Compute> computes = ImmutableList.builder();
    for (Pointer one : Arrays.asList(found).subList(0, count[0])) {
      NvmlStruct info = new NvmlStruct(NvmlStructLayout.COMPUTE_INSTANCE);
      session.check(
          "nvmlComputeInstanceGetInfo",
          library -> library.nvmlComputeInstanceGetInfo_v2(one, info.bytes()));
      int start = placement(info, "placement").start();
      computes.add(new Compute(info.number("id"), new Placement(start, kind.slices()), one));
    }
    return computes.build();
  }

  /** Makes a compute instance. */
  public void make(Placement place) throws NvmlException {
    ComputeProfile kind = kind(place);
    if (!isWhole(place)) {
      requirePossible(kind, place);
    }
    NvmlStruct where =
        new NvmlStruct(NvmlStructLayout.PLACEMENT)
            .put("start", place.start())
            .put("size", place.size());
    PointerByReference made = new PointerByReference();
    boolean placed =
        session.supports(
            "nvmlGpuInstanceCreateComputeInstanceWithPlacement",
            library ->
                library.nvmlGpuInstanceCreateComputeInstanceWithPlacement(
                    handle, kind.id(), where.bytes(), made));
    if (!placed) {
      requireWhole(place);
      session.check(
          "nvmlGpuInstanceCreateComputeInstance",
          library -> library.nvmlGpuInstanceCreateComputeInstance(handle, kind.id(), made));
    }
  }

  /**
   * The kind for a place. Later architectures have two kinds of one slice. The one with more
   * multiprocessors occupies the room of two: it is for a GPU instance that has only one slice, the
   * other for a part.
   */
  private ComputeProfile kind(Placement place) throws NvmlException {
    Comparator<ComputeProfile> larger = Comparator.comparingInt(ComputeProfile::multiprocessors);
    return kinds().stream()
        .filter(known -> known.slices() == place.size())
        .max(isWhole(place) ? larger : larger.reversed())
        .orElseThrow(
            () ->
                session.refused(
                    "nvmlGpuInstanceGetComputeInstanceProfileInfo", NvmlReturn.NOT_SUPPORTED));
  }

  private boolean isWhole(Placement place) {
    return place.size() == profile.compute();
  }

  /** Drivers before 525 do not report possible places. */
  private void requirePossible(ComputeProfile kind, Placement place) throws NvmlException {
    String function = "nvmlGpuInstanceGetComputeInstancePossiblePlacements";
    ImmutableList<Placement> possible =
        NvmlMig.placements(
            session,
            function,
            (library, found, count) ->
                library.nvmlGpuInstanceGetComputeInstancePossiblePlacements(
                    handle, kind.id(), found, count));
    ImmutableSortedSet<Integer> starts =
        possible.stream()
            .map(Placement::start)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Integer::compare));
    if (!starts.isEmpty() && !starts.contains(place.start())) {
      throw session.refused(
          "%s: %dc.%dg cannot start at %d, only at %s"
              .formatted(function, place.size(), profile.compute(), place.start(), starts),
          NvmlReturn.INVALID_ARGUMENT);
    }
  }

  /** Rejects a part: the driver would choose its place, where it could not be found again. */
  private void requireWhole(Placement place) throws NvmlException {
    if (!isWhole(place)) {
      throw session.refused(
          "nvmlGpuInstanceCreateComputeInstanceWithPlacement (a part of a GPU instance takes driver"
              + " 525 or later)",
          NvmlReturn.FUNCTION_NOT_FOUND);
    }
  }

  /** Destroys a compute instance of this GPU instance. */
  public void destroy(Compute compute) throws NvmlException {
    session.check(
        "nvmlComputeInstanceDestroy",
        library -> library.nvmlComputeInstanceDestroy(compute.handle()));
  }

  /** Destroys this GPU instance; refused while it has a compute instance or a process. */
  public void destroy() throws NvmlException {
    session.check("nvmlGpuInstanceDestroy", library -> library.nvmlGpuInstanceDestroy(handle));
  }
}
