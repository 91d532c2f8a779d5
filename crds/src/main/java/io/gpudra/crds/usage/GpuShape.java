package io.gpudra.crds.usage;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Collection;

/**
 * The capacity of one GPU.
 *
 * @param memoryBytes all of its memory
 * @param profiles its MIG profiles by name; empty when it has none
 * @param aligned whether compute instances occupy as many slices as the next power of two
 * @param conflicts MIG devices that exist and belong to no claim
 */
public record GpuShape(
    String uuid,
    long memoryBytes,
    ImmutableMap<String, MigProfile> profiles,
    boolean aligned,
    ImmutableList<Obstacle> conflicts) {

  /**
   * A MIG device that this driver did not create.
   *
   * @param foreign whether other software uses it; if not, it is static and can be allocated
   */
  public record Obstacle(Slice slice, boolean foreign) {}

  /** The shape of a GPU as its node published it. */
  public static GpuShape of(Gpu gpu) {
    GpuShape bare = bare(gpu);
    return new GpuShape(
        bare.uuid,
        bare.memoryBytes,
        bare.profiles,
        bare.aligned,
        gpu.mig().devices().stream()
            .filter(device -> device.claim().isEmpty())
            .map(device -> new Obstacle(device.slice(), device.foreign()))
            .collect(toImmutableList()));
  }

  /** The same shape without obstacles. */
  public static GpuShape bare(Gpu gpu) {
    return of(
        gpu.uuid(),
        gpu.memoryBytes(),
        gpu.model().migProfiles(),
        gpu.model().alignsComputeInstances());
  }

  /** The shape of a GPU without obstacles, whose compute instances fit at any place. */
  public static GpuShape of(String uuid, long memoryBytes, Collection<MigProfile> profiles) {
    return of(uuid, memoryBytes, profiles, /* aligned= */ false);
  }

  private static GpuShape of(
      String uuid, long memoryBytes, Collection<MigProfile> profiles, boolean aligned) {
    return new GpuShape(
        uuid,
        memoryBytes,
        profiles.stream().collect(toImmutableMap(MigProfile::name, profile -> profile)),
        aligned,
        ImmutableList.of());
  }

  /** Whether these GPU instances, each a separate one, can exist together. */
  public boolean holds(ImmutableList<Slice> instances) {
    return MigPacking.conflict(this, instances).isEmpty();
  }

  /** Whether such a GPU instance can exist. */
  boolean offers(Slice slice) {
    MigProfile profile = profiles.get(slice.profile());
    return profile != null
        && profile.size() == slice.size()
        && profile.compute() == slice.compute()
        && profile.starts().contains(slice.start());
  }

  /** The maximum number of instances of the profile. */
  int most(String profile) {
    MigProfile known = profiles.get(profile);
    return known == null ? 0 : known.most();
  }

  /** The maximum of compute slices of all GPU instances together. */
  int compute() {
    return profiles.values().stream().mapToInt(MigProfile::compute).max().orElse(0);
  }
}
