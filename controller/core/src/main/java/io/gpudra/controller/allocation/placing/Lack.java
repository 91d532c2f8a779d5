package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Group;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.crds.model.Audience;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A node lacks devices for a claim that wants more than whole GPUs, now or forever.
 *
 * @param family the claim and its parents in the pod
 */
record Lack(
    Cause cause,
    NodeLedger ledger,
    ClaimRequest claim,
    ImmutableList<ClaimRequest> family,
    int shortfall)
    implements Refusal {
  /** Behind shortages that a release can cure, as for whole GPUs. */
  private static final int LASTING = 100;

  private static final int MAX_CHARACTERS = 1_024;

  Lack(
      Cause cause,
      NodeLedger ledger,
      ClaimRequest claim,
      ImmutableList<ClaimRequest> family,
      Effort effort) {
    this(
        cause,
        ledger,
        claim,
        family,
        cause.lasting() ? LASTING + Missing.of(claim, ledger.inventory(), effort) : 1);
  }

  @Override
  public Lack on(NodeLedger other) {
    return new Lack(cause, other, claim, family, shortfall);
  }

  @Override
  public String text(Audience reader) {
    Question question = Question.of(ledger, family);
    Budget budget = new Budget();
    int alternatives = claim.alternatives().size();
    String all =
        IntStream.range(0, alternatives)
            .mapToObj(
                i ->
                    (alternatives == 1 ? "" : "alternative " + (i + 1) + ": ")
                        + new Miss(question, claim, claim.alternatives().get(i), budget).text())
            .collect(Collectors.joining("; "));
    return all.length() <= MAX_CHARACTERS ? all : all.substring(0, MAX_CHARACTERS - 1) + "…";
  }

  /** The number of devices that a claim would lack on a node with all devices free. */
  record Missing(Inventory inventory, Group group) {

    /** Of the way to serve it that lacks the fewest, as far as the effort goes. */
    static int of(ClaimRequest claim, Inventory inventory, Effort effort) {
      return claim.alternatives().stream()
          .mapToInt(way -> of(way, inventory, effort))
          .min()
          .orElse(0);
    }

    /** Counts connected GPUs only, if required; other attributes that must match do not count. */
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

    /** Regardless of the condition and of existing MIG devices. */
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
}
