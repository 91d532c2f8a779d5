package io.gpudra.crds.wire;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A part of a GPU: with {@code profile} a MIG device, with {@code memory} a share, else all of it.
 *
 * @param name of the device, where it is not known otherwise
 * @param uuid of the GPU that is whole or shared
 * @param parent UUID of the GPU of the MIG device
 * @param profile of the GPU instance
 * @param at first memory slice and their number
 * @param compute compute slices of the GPU instance
 * @param ci first compute slice and their number, of a compute instance
 * @param memory of the share, exact
 * @param millicores of the share, absent for none
 * @param pinned limit of an MPS client on this device
 * @param sharing position in the list of settings, absent for the first; without a list TimeSlicing
 *     Default
 * @param overcommit percent, absent for 100
 * @param existing a static MIG device
 * @param inside UID of the claim out of which it is carved
 * @param held only for claims that carve their devices out of it
 * @param request that it serves
 */
@WireRecord
public record PartEntry(
    @Nullable String name,
    @Nullable String uuid,
    @Nullable String parent,
    @Nullable String profile,
    @Nullable List<Integer> at,
    @Nullable Integer compute,
    @Nullable List<Integer> ci,
    @Nullable String memory,
    @Nullable Integer millicores,
    @Nullable String pinned,
    @Nullable Integer sharing,
    @Nullable Integer overcommit,
    @Nullable Boolean existing,
    @Nullable String inside,
    @Nullable Boolean held,
    @Nullable String request) {

  static final int ALL = 100;

  /** A device as the first format of the handle describes it. */
  public static PartEntry whole(@Nullable String name, @Nullable String uuid) {
    return new PartEntry(
        name, uuid, null, null, null, null, null, null, null, null, null, null, null, null, null,
        null);
  }

  static PartEntry of(GrantedDevice device, int setting) {
    GrantedPart part = device.part();
    Optional<Slice> slice = slice(part.part());
    Optional<Share> share = share(part.part());
    return new PartEntry(
        Strings.emptyToNull(device.name()),
        slice.isPresent() ? null : part.gpuUuid(),
        slice.isPresent() ? part.gpuUuid() : null,
        slice.map(Slice::profile).orElse(null),
        slice.map(s -> ImmutableList.of(s.start(), s.size())).orElse(null),
        slice.map(Slice::compute).orElse(null),
        slice
            .flatMap(Slice::instance)
            .map(instance -> ImmutableList.of(instance.start(), instance.compute()))
            .orElse(null),
        share.map(s -> MemorySize.exactText(s.memoryBytes())).orElse(null),
        share.map(Share::millicores).filter(millicores -> millicores > 0).orElse(null),
        pinned(part.sharing()),
        setting == 0 ? null : setting,
        part.overcommitPercent() == ALL ? null : part.overcommitPercent(),
        part.existing() ? true : null,
        part.inside().map(ClaimUid::value).orElse(null),
        device.parent() ? true : null,
        part.request().orElse(null));
  }

  private static Optional<Slice> slice(Part part) {
    return part instanceof Slice slice ? Optional.of(slice) : Optional.empty();
  }

  private static Optional<Share> share(Part part) {
    return part instanceof Share share ? Optional.of(share) : Optional.empty();
  }

  private static @Nullable String pinned(SharingStrategy sharing) {
    OptionalLong bytes =
        sharing instanceof SharingStrategy.Mps mps ? mps.pinnedMemoryBytes() : OptionalLong.empty();
    return bytes.isPresent() ? MemorySize.exactText(bytes.getAsLong()) : null;
  }
}
