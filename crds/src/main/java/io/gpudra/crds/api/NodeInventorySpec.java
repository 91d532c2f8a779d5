package io.gpudra.crds.api;

import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The administrators' part of an inventory; the plugin never writes it. */
@WireRecord
public record NodeInventorySpec(@Nullable List<Taint> taints) {

  /** The {@code device} of a taint that stands for every GPU of the node. */
  public static final String EVERY_DEVICE = "*";

  /**
   * A reason to keep claims away from a GPU.
   *
   * @param device name or UUID of a GPU; absent for {@link #EVERY_DEVICE}
   * @param effect NoSchedule or NoExecute
   * @param reason for people; shown in the events of waiting claims
   * @param until the time when the taint expires
   */
  @WireRecord
  public record Taint(
      @Nullable String device,
      @Nullable String key,
      @Nullable String value,
      @Nullable String effect,
      @Nullable String reason,
      @Nullable String until) {}
}
