package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Layout.Cut;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of a node's GPUs that could serve a wish, for any claim and regardless of use. Computed
 * once for all searches on the node at a time. Confined to one thread.
 */
public final class Offers {
  private final Inventory inventory;
  private final ImmutableList<Site> sites;
  private final Map<Together, ImmutableList<Group>> groups = new HashMap<>();
  private final Map<Ask, Offer> offers = new HashMap<>();

  private record Ask(Wish wish, Group group) {}

  /**
   * The parts of the node's GPUs.
   *
   * @param gpus that suit as a whole, as bits
   * @param cuts by GPU, the MIG devices that may be made, the smallest first; none for other shapes
   */
  record Offer(long gpus, ImmutableList<ImmutableList<Cut>> cuts) {}

  Offers(Inventory inventory, ImmutableList<Site> sites) {
    this.inventory = inventory;
    this.sites = sites;
  }

  /** Those of {@link Group#of}, and behind what is preferred those without it; see there. */
  ImmutableList<Group> groups(Together together, Budget budget) {
    ImmutableList<Group> known = groups.get(together);
    if (known == null) {
      known = findGroups(together, budget);
      if (!budget.spent()) {
        groups.put(together, known);
      }
    }
    return known;
  }

  private ImmutableList<Group> findGroups(Together together, Budget budget) {
    ImmutableList<Group> groups = Group.of(inventory, together, budget);
    boolean preferred = together.topology().filter(linked -> !linked.required()).isPresent();
    return preferred
        ? ImmutableList.<Group>builder()
            .addAll(groups)
            .addAll(Group.of(inventory, new Together(Optional.empty(), together.same()), budget))
            .build()
        : groups;
  }

  Offer of(Wish wish, Group group) {
    return offers.computeIfAbsent(new Ask(wish, group), this::find);
  }

  private Offer find(Ask ask) {
    return ask.wish.shape() instanceof Shape.Mig mig
        ? new Offer(0, new Slicing(ask, mig).cuts())
        : new Offer(whole(ask), ImmutableList.of());
  }

  private long whole(Ask ask) {
    return ask.group.whole(ask.wish.condition().matching(inventory), inventory);
  }

  /** The MIG devices of the profile, or of any profile, that could be made. */
  private final class Slicing {
    private final Ask ask;
    private final Shape.Mig mig;
    private final Map<MigProfile, long[]> known = new HashMap<>();

    Slicing(Ask ask, Shape.Mig mig) {
      this.ask = ask;
      this.mig = mig;
    }

    ImmutableList<ImmutableList<Cut>> cuts() {
      return sites.stream().map(this::cuts).collect(toImmutableList());
    }

    private ImmutableList<Cut> cuts(Site site) {
      ImmutableList.Builder<Cut> cuts = ImmutableList.builder();
      for (MigProfile one : site.layout().profiles().reverse()) {
        if (mig.isOf(one.name()) && ask.group.slices(site.index(), one)) {
          long starts = known.computeIfAbsent(one, this::starts)[site.index()];
          if (starts != 0) {
            cuts.add(new Cut(one, starts));
          }
        }
      }
      return cuts.build();
    }

    /** By GPU: the starts at which a MIG device of the profile suits. */
    private long[] starts(MigProfile one) {
      long[] starts = new long[Long.SIZE];
      boolean alike = !ask.wish.condition().tellsPlacesApart();
      long gpus = 0;
      for (int start : one.starts()) {
        if (!alike || start == one.starts().first()) {
          gpus = ask.wish.condition().matching(inventory, Cut.slice(one, start));
        }
        for (long left = gpus; left != 0; left &= left - 1) {
          starts[Long.numberOfTrailingZeros(left)] |= 1L << start;
        }
      }
      return starts;
    }
  }
}
