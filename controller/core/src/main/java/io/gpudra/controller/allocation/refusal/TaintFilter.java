package io.gpudra.controller.allocation.refusal;

import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Finds the GPUs and MIG devices whose taints keep a claim away. */
public final class TaintFilter {

  private TaintFilter() {}

  /** GPUs with a taint that the claim does not tolerate, as bits. */
  public static long repelling(Inventory inventory, ClaimRequest claim) {
    return repelling(inventory, claim, -1);
  }

  /** The same among some GPUs, as bits. */
  public static long repelling(Inventory inventory, ClaimRequest claim, long among) {
    List<Gpu> gpus = inventory.gpus();
    long repelling = 0;
    for (long left = among; left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      if (i >= gpus.size()) {
        break;
      }
      repelling |= keepAway(gpus.get(i).taints(), claim) ? 1L << i : 0;
    }
    return repelling;
  }

  /** Whether the claim does not tolerate one of the taints. */
  public static boolean keepAway(Collection<DeviceTaint> taints, ClaimRequest claim) {
    return !taints.isEmpty() && taints.stream().anyMatch(taint -> !isTolerated(taint, claim));
  }

  /**
   * Names the first of these GPUs, or suitable MIG devices, that keeps the claim away, and its
   * taint; empty when none does.
   */
  public static String text(List<Gpu> gpus, ClaimRequest claim) {
    return gpus.stream()
        .flatMap(gpu -> Stream.concat(texts(gpu.name(), gpu.taints(), claim), ofMig(gpu, claim)))
        .findFirst()
        .orElse("");
  }

  private static Stream<String> ofMig(Gpu gpu, ClaimRequest claim) {
    return gpu.mig().devices().stream()
        .filter(device -> !device.taints().isEmpty() && mayHave(device, claim))
        .flatMap(device -> texts(device.slice().nameOn(gpu.name()), device.taints(), claim));
  }

  /** Whether the claim may get the device, or a part of its GPU instance when it has a parent. */
  private static boolean mayHave(MigState.Device device, ClaimRequest claim) {
    return (device.claim().isEmpty() || claim.inside().isPresent())
        && claim.alternatives().stream()
            .flatMap(alternative -> alternative.subRequests().stream())
            .anyMatch(
                subRequest ->
                    subRequest.kind() instanceof DeviceKind.Mig mig
                        && mig.isOf(device.slice().profile()));
  }

  private static Stream<String> texts(String device, List<DeviceTaint> taints, ClaimRequest claim) {
    return taints.stream()
        .filter(taint -> !isTolerated(taint, claim))
        .map(
            taint ->
                "%s tainted %s%s"
                    .formatted(
                        device,
                        taint.key(),
                        taint.reason().isEmpty() ? "" : " (" + taint.reason() + ")"));
  }

  private static boolean isTolerated(DeviceTaint taint, ClaimRequest claim) {
    return claim.tolerations().stream().anyMatch(toleration -> toleration.tolerates(taint));
  }
}
