package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.Fence;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Condition;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Demand;
import io.gpudra.controller.allocation.search.Group;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.controller.allocation.search.Site;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The number of devices of a node that suit a claim, regardless of the number it wants. */
public final class Supply {

  private Supply() {}

  /** Wishes for the same devices, which are counted once. */
  private record Kind(Shape shape, Condition condition) {}

  /** Over all alternatives: GPUs that suit, and MIG devices that exist or can be made. */
  public static int of(NodeLedger ledger, ClaimRequest claim) {
    return Fence.around(() -> count(ledger, claim), why -> 0);
  }

  private static int count(NodeLedger ledger, ClaimRequest claim) {
    Set<Kind> ofMig = new HashSet<>();
    long gpus = 0;
    int slices = 0;
    for (Wish wish : wishes(claim)) {
      if (!(wish.shape() instanceof Shape.Mig)) {
        gpus |= wish.condition().matching(ledger.inventory());
      } else if (ofMig.add(new Kind(wish.shape(), wish.condition()))) {
        slices += slices(ledger, claim, wish);
      }
    }
    return Long.bitCount(gpus) + slices;
  }

  private static List<Wish> wishes(ClaimRequest claim) {
    return claim.alternatives().stream().flatMap(way -> way.wishes().stream()).toList();
  }

  private static int slices(NodeLedger ledger, ClaimRequest claim, Wish wish) {
    Question question = Question.of(ledger, ImmutableList.of(claim));
    Demand demand = Demand.of(question.asking(claim), wish, Group.ALL, question);
    return question.sites().stream().mapToInt(site -> of(demand, site)).sum();
  }

  /** The MIG devices of one GPU, for the profile with the most. */
  static int of(Demand demand, Site site) {
    int existing = site.takesSlices() ? demand.existingOf(site).size() : 0;
    int made =
        demand.cutsOf(site).stream()
            .mapToInt(cut -> site.takesCuts() ? site.layout().most(cut.profile()) : 0)
            .max()
            .orElse(0);
    return existing + made;
  }
}
