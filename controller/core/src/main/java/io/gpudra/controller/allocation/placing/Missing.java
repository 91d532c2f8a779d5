package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Group;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;

/** How many devices a claim would lack on a node, whoever has those that are there. */
record Missing(Inventory inventory, Group group) {

  /** Of the way to serve it that lacks the fewest, as far as the effort goes. */
  static int of(ClaimRequest claim, Inventory inventory, Effort effort) {
    return claim.alternatives().stream()
        .mapToInt(way -> of(way, inventory, effort))
        .min()
        .orElse(0);
  }

  /** Among connected GPUs, where they must be; what else they should agree in does not count. */
  private static int of(Alternative way, Inventory inventory, Effort effort) {
    Together connected = new Together(way.together().topology(), ImmutableSet.of());
    return Group.of(inventory, connected, effort).stream()
        .mapToInt(group -> new Missing(inventory, group).of(way))
        .min()
        .orElseGet(() -> new Missing(inventory, Group.NONE).of(way));
  }

  private int of(Alternative way) {
    return way.wishes().stream().mapToInt(this::of).sum();
  }

  private int of(Wish wish) {
    int wanted = wish.all() ? 1 : wish.count();
    return Math.max(0, wanted - (wish.shape() instanceof Shape.Mig mig ? most(mig) : most(wish)));
  }

  private int most(Wish wish) {
    return Long.bitCount(wish.condition().matching(inventory) & group.gpus());
  }

  /** Whatever the condition chooses, if there were no other MIG devices. */
  private int most(Shape.Mig mig) {
    int most = 0;
    for (long gpus = group.gpus() & all(); gpus != 0; gpus &= gpus - 1) {
      GpuModel model = inventory.gpus().get(Long.numberOfTrailingZeros(gpus)).model();
      for (MigProfile one : model.migProfiles()) {
        most += mig.isOf(one.name()) ? one.most() : 0;
      }
    }
    return most;
  }

  private long all() {
    int gpus = Math.min(Long.SIZE, inventory.gpus().size());
    return gpus == 0 ? 0 : -1L >>> (Long.SIZE - gpus);
  }
}
