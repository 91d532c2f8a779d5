package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Cut;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A wish of a claim and where on the node it could be served, whoever is there.
 *
 * @param claim which of the claims that are asked about
 * @param gpus those that will do whole, as bits
 * @param cuts by GPU, none for what is no MIG device: what may be made of it, the smallest first
 * @param existing by GPU, likewise: MIG devices that will do
 */
public record Demand(
    Asking claim,
    Wish wish,
    int count,
    long gpus,
    ImmutableList<ImmutableList<Cut>> cuts,
    ImmutableList<ImmutableList<MigState.Device>> existing) {

  public static Demand of(Asking claim, Wish wish, Group group, Question question) {
    Inventory inventory = question.inventory();
    long repelling = Taints.repelling(inventory, claim.request());
    if (!(wish.shape() instanceof Shape.Mig mig)) {
      long matching = group.whole(wish.condition().matching(inventory), inventory);
      int count = wish.all() ? Long.bitCount(matching) : wish.count();
      return new Demand(
          claim, wish, count, matching & ~repelling, ImmutableList.of(), ImmutableList.of());
    }
    Reading reading = new Reading(inventory, claim, wish, mig, group, repelling, new HashMap<>());
    return new Demand(
        claim,
        wish,
        wish.count(),
        0,
        question.sites().stream().map(reading::cuts).collect(toImmutableList()),
        question.sites().stream().map(reading::existing).collect(toImmutableList()));
  }

  ClaimRequest request() {
    return claim.request();
  }

  /** Whether it is served out of what another claim has. */
  boolean isCarved() {
    return request().inside().isPresent();
  }

  /** Whether the GPU will do whole, or for a share. */
  public boolean takes(Site site) {
    return (gpus >> site.index() & 1) == 1;
  }

  /** What may be made of the GPU, the smallest first. */
  public ImmutableList<Cut> cutsOf(Site site) {
    return cuts.isEmpty() ? ImmutableList.of() : cuts.get(site.index());
  }

  /** MIG devices that are there and will do. */
  public ImmutableList<MigState.Device> existingOf(Site site) {
    return existing.isEmpty() ? ImmutableList.of() : existing.get(site.index());
  }

  /** The compute slices of the compute instance that is wanted of a GPU instance, if one is. */
  public OptionalInt instance() {
    return wish.shape() instanceof Shape.Mig mig ? mig.instance() : OptionalInt.empty();
  }

  /** What of a GPU could serve the wish. */
  private record Reading(
      Inventory inventory,
      Asking claim,
      Wish wish,
      Shape.Mig mig,
      Group group,
      long repelling,
      Map<MigProfile, long[]> known) {

    ImmutableList<Cut> cuts(Site site) {
      if (isRepelled(site)) {
        return ImmutableList.of();
      }
      ImmutableList.Builder<Cut> cuts = ImmutableList.builder();
      for (MigProfile one : site.layout().profiles().reverse()) {
        if (isWanted(one.name()) && group.slices(site.index(), one)) {
          long starts = starts(site, one);
          if (starts != 0) {
            cuts.add(new Cut(one, starts));
          }
        }
      }
      return cuts.build();
    }

    private long starts(Site site, MigProfile one) {
      return known.computeIfAbsent(one, this::starts)[site.index()];
    }

    /** By GPU: where a MIG device of the profile would do. */
    private long[] starts(MigProfile one) {
      long[] starts = new long[Long.SIZE];
      for (int start : one.starts()) {
        long gpus = wish.condition().matching(inventory, Cut.slice(one, start));
        for (; gpus != 0; gpus &= gpus - 1) {
          starts[Long.numberOfTrailingZeros(gpus)] |= 1L << start;
        }
      }
      return starts;
    }

    private boolean isWanted(String name) {
      return mig.gpuInstance().filter(wanted -> !wanted.equals(name)).isEmpty();
    }

    private boolean isRepelled(Site site) {
      return (repelling >> site.index() & 1) == 1;
    }

    /** Nothing is carved out of what is not ours, and nothing that is carved is there already. */
    private boolean isCarved() {
      return claim.parent() || claim.request().inside().isPresent() || mig.instance().isPresent();
    }

    ImmutableList<MigState.Device> existing(Site site) {
      if (site.existing().isEmpty() || isRepelled(site) || isCarved()) {
        return ImmutableList.of();
      }
      return site.existing().stream()
          .filter(device -> will(site, device))
          .collect(toImmutableList());
    }

    private boolean will(Site site, MigState.Device device) {
      String name = device.slice().profile();
      return isWanted(name)
          && site.gpu().model().migProfiles().stream()
              .anyMatch(one -> one.name().equals(name) && group.slices(site.index(), one))
          && wish.condition().matches(inventory, site.index(), device.slice(), device.uuid());
    }
  }
}
