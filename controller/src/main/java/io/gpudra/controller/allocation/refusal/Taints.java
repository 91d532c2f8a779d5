package io.gpudra.controller.allocation.refusal;

import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;

/** Which GPUs keep a claim away. */
public final class Taints {

  private Taints() {}

  /** GPUs with a taint that the claim does not tolerate, as bits. */
  public static long repelling(Inventory inventory, ClaimRequest claim) {
    return repelling(inventory, claim, -1);
  }

  /** The same among some, as bits. */
  public static long repelling(Inventory inventory, ClaimRequest claim, long among) {
    List<Gpu> gpus = inventory.gpus();
    long repelling = 0;
    for (long left = among; left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      if (i >= gpus.size()) {
        break;
      }
      repelling |= keepsAway(gpus.get(i), claim) ? 1L << i : 0;
    }
    return repelling;
  }

  private static boolean keepsAway(Gpu gpu, ClaimRequest claim) {
    return !gpu.taints().isEmpty()
        && gpu.taints().stream().anyMatch(taint -> !isTolerated(taint, claim));
  }

  /** Of the first of these GPUs that keeps the claim away, and why; empty when none does. */
  public static String text(List<Gpu> gpus, ClaimRequest claim) {
    for (Gpu gpu : gpus) {
      for (DeviceTaint taint : gpu.taints()) {
        if (!isTolerated(taint, claim)) {
          return "%s tainted %s%s"
              .formatted(
                  gpu.name(),
                  taint.key(),
                  taint.reason().isEmpty() ? "" : " (" + taint.reason() + ")");
        }
      }
    }
    return "";
  }

  private static boolean isTolerated(DeviceTaint taint, ClaimRequest claim) {
    return claim.tolerations().stream().anyMatch(toleration -> toleration.tolerates(taint));
  }
}
