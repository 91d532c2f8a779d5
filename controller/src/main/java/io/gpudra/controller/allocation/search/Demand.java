package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.MigProfile;
import io.gpudra.crds.model.MigState;
import java.util.List;
import java.util.Optional;

/**
 * A wish of a claim and where on the node it could be served, whoever is there.
 *
 * @param claim position of the claim in the batch
 * @param gpus those that will do whole, as bits
 * @param cuts by GPU: what may be made of it, the smallest first
 * @param existing by GPU: MIG devices that will do
 */
record Demand(
    int claim,
    ClaimRequest request,
    Wish wish,
    int count,
    long gpus,
    ImmutableMap<Integer, ImmutableList<Cut>> cuts,
    ImmutableMap<Integer, ImmutableList<MigState.Device>> existing) {

  static Demand of(int claim, ClaimRequest request, Wish wish, Group group, Question question) {
    Inventory inventory = question.inventory();
    if (!(wish.shape() instanceof Shape.Mig mig)) {
      long matching = group.whole(wish.condition().matching(inventory), inventory);
      long repelling = Taints.repelling(inventory, request);
      int count = wish.all() ? Long.bitCount(matching) : wish.count();
      long gpus = matching & ~repelling;
      return new Demand(claim, request, wish, count, gpus, ImmutableMap.of(), ImmutableMap.of());
    }
    Reading reading =
        new Reading(
            inventory,
            wish,
            mig.profile().map(MigName::gpuInstance),
            group,
            Taints.repelling(inventory, request));
    return new Demand(
        claim,
        request,
        wish,
        wish.count(),
        0,
        question.sites().stream().collect(toImmutableMap(Site::index, reading::cuts)),
        question.sites().stream().collect(toImmutableMap(Site::index, reading::existing)));
  }

  /** What of a GPU could serve the wish. */
  private record Reading(
      Inventory inventory, Wish wish, Optional<String> profile, Group group, long repelling) {

    ImmutableList<Cut> cuts(Site site) {
      if (isRepelled(site)) {
        return ImmutableList.of();
      }
      List<MigProfile> largestFirst = site.layout().profiles();
      return ImmutableList.copyOf(largestFirst).reverse().stream()
          .filter(one -> profile.filter(name -> !name.equals(one.name())).isEmpty())
          .filter(one -> group.slices(site.index(), one))
          .map(one -> new Cut(one, starts(site, one)))
          .filter(cut -> cut.starts() != 0)
          .collect(toImmutableList());
    }

    private long starts(Site site, MigProfile one) {
      long starts = 0;
      for (int start : one.starts()) {
        boolean will =
            wish.condition()
                .matches(inventory, site.index(), Cut.slice(one, start), Optional.empty());
        starts |= will ? 1L << start : 0;
      }
      return starts;
    }

    /** A compute instance is not carved out of what is not ours. */
    private boolean wantsInstance() {
      return ((Shape.Mig) wish.shape()).profile().flatMap(MigName::instance).isPresent();
    }

    private boolean isRepelled(Site site) {
      return (repelling >> site.index() & 1) == 1;
    }

    ImmutableList<MigState.Device> existing(Site site) {
      if (isRepelled(site) || wantsInstance()) {
        return ImmutableList.of();
      }
      return site.existing().stream()
          .filter(device -> will(site, device))
          .collect(toImmutableList());
    }

    private boolean will(Site site, MigState.Device device) {
      String name = device.slice().profile();
      return profile.filter(wanted -> !wanted.equals(name)).isEmpty()
          && site.gpu().model().migProfiles().stream()
              .anyMatch(one -> one.name().equals(name) && group.slices(site.index(), one))
          && wish.condition()
              .matches(inventory, site.index(), device.slice(), Optional.of(device.uuid()));
    }
  }
}
