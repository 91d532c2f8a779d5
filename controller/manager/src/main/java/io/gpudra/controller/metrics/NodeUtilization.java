package io.gpudra.controller.metrics;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuFraction;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The portions of a node's GPUs that allocations hold. Devices inside another claim's part count
 * with that claim. Devices that the node does not list count 0, as do implausible reports.
 */
record NodeUtilization(NodeLedger ledger) {
  private static final int WHOLE = 1_000;

  /** Thousandths of GPUs by model. */
  ImmutableMap<String, Long> of(Grant grant) {
    Map<String, Long> thousandths = new TreeMap<>();
    grant.devices().stream()
        .map(GrantedDevice::part)
        .filter(part -> part.inside().filter(this::holds).isEmpty())
        .forEach(
            part ->
                gpu(part)
                    .ifPresent(
                        gpu ->
                            thousandths.merge(
                                gpu.model().productName(), thousandths(part, gpu), Long::sum)));
    return ImmutableMap.copyOf(thousandths);
  }

  private boolean holds(ClaimUid claim) {
    Hold hold = ledger.holds().get(claim);
    return hold != null && hold.inApi().isPresent();
  }

  private Optional<Gpu> gpu(GrantedPart part) {
    return ledger.inventory().isPlausible()
        ? ledger.inventory().gpus().stream()
            .filter(gpu -> gpu.uuid().equals(part.gpuUuid()))
            .findFirst()
        : Optional.empty();
  }

  /** At least 1, at most the whole GPU. */
  private static long thousandths(GrantedPart part, Gpu gpu) {
    return Math.max(1, Math.min(WHOLE, Math.round(WHOLE * GpuFraction.of(part.part(), gpu))));
  }
}
