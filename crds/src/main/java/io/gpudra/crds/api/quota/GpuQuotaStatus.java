package io.gpudra.crds.api.quota;

import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The controller's figures.
 *
 * @param waitingClaims number of claims that wait because of the quota
 * @param conditions {@link #EXCEEDED}
 */
@WireRecord
public record GpuQuotaStatus(
    @Nullable Used used, @Nullable Integer waitingClaims, @Nullable List<Condition> conditions) {

  /** Whether claims wait, or hold more than allowed. */
  public static final String EXCEEDED = "Exceeded";

  /** What the counted claims hold, as texts of {@link GpuAmount} and {@code MemorySize}. */
  @WireRecord
  public record Used(@Nullable String gpus, @Nullable String memory) {}
}
