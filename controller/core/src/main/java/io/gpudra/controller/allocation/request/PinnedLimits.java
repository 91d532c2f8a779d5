package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Sharing;
import java.util.OptionalLong;

/**
 * How much memory a client of MPS may use of single devices; of the others what the wish says for
 * all.
 *
 * @param byPosition bytes, of the claim's first device, its second and so on, through all wishes
 * @param byUuid bytes; before those by position
 */
public record PinnedLimits(
    ImmutableMap<Integer, Long> byPosition, ImmutableMap<String, Long> byUuid) {

  /** No device is special. */
  public static final PinnedLimits NONE = new PinnedLimits(ImmutableMap.of(), ImmutableMap.of());

  Sharing of(Sharing ofAll, int position, String gpuUuid) {
    Long own = byUuid.get(gpuUuid);
    Long limit = own == null ? byPosition.get(position) : own;
    return limit != null && ofAll instanceof Sharing.Mps mps
        ? new Sharing.Mps(mps.activeThreadPercentage(), OptionalLong.of(limit))
        : ofAll;
  }
}
