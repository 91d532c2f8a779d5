package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.SharingStrategy;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Devices of one kind.
 *
 * @param name of the claim's request; absent when the claim has only one
 * @param count at least 1; without meaning with {@code all}
 * @param all every GPU of a node that satisfies the condition, none of them in use
 * @param sharing how the clients of the claim use a device at the same time
 * @param pinned exceptions to that
 */
public record DeviceSubRequest(
    Optional<String> name,
    int count,
    boolean all,
    DeviceKind kind,
    DevicePredicate devicePredicate,
    SharingStrategy sharing,
    PinnedLimits pinned) {

  /** Rejects a sub-request for nothing. */
  public DeviceSubRequest {
    if (count < 1) {
      throw new IllegalArgumentException("a wish for " + count + " devices");
    }
  }

  /** Devices that are all used in the same way. */
  public DeviceSubRequest(
      Optional<String> name,
      int count,
      boolean all,
      DeviceKind kind,
      DevicePredicate devicePredicate,
      SharingStrategy sharing) {
    this(name, count, all, kind, devicePredicate, sharing, PinnedLimits.NONE);
  }

  /**
   * The sharing of one device.
   *
   * @param position among all devices of the claim, from 0
   */
  public SharingStrategy sharing(int position, String gpuUuid) {
    return pinned.of(sharing, position, gpuUuid);
  }

  /** Whole GPUs for a claim that requests nothing else. */
  public static DeviceSubRequest whole(int count, DevicePredicate devicePredicate) {
    return new DeviceSubRequest(
        Optional.empty(),
        count,
        /* all= */ false,
        new DeviceKind.Whole(),
        devicePredicate,
        SharingStrategy.NONE);
  }

  /** Whether a list of GPUs describes its devices completely. */
  boolean isOfUnsharedGpus() {
    return kind instanceof DeviceKind.Whole
        && name.isEmpty()
        && sharing.equals(SharingStrategy.NONE);
  }

  /**
   * The memory that a client of MPS may use of single devices; for other devices the limit of the
   * sub-request applies.
   *
   * @param byPosition bytes, of the claim's first device, its second and so on, through all
   *     sub-requests
   * @param byUuid bytes; before those by position
   */
  public record PinnedLimits(
      ImmutableMap<Integer, Long> byPosition, ImmutableMap<String, Long> byUuid) {

    /** No exceptions. */
    public static final PinnedLimits NONE = new PinnedLimits(ImmutableMap.of(), ImmutableMap.of());

    SharingStrategy of(SharingStrategy ofAll, int position, String gpuUuid) {
      Long own = byUuid.get(gpuUuid);
      Long limit = own == null ? byPosition.get(position) : own;
      return limit != null && ofAll instanceof SharingStrategy.Mps mps
          ? new SharingStrategy.Mps(mps.activeThreadPercentage(), OptionalLong.of(limit))
          : ofAll;
    }
  }
}
