package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Layout.Cut;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.MigState;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * A wish of a claim and where on the node it could be served, whoever is there.
 *
 * @param claim which of the claims that are asked about
 * @param gpus those that will do whole, as bits
 * @param cuts by GPU, none for what is no MIG device: what may be made of it, the smallest first
 * @param existing by GPU, none where no GPU has any: MIG devices that will do
 */
public record Demand(
    Asking claim,
    Wish wish,
    int count,
    long gpus,
    ImmutableList<ImmutableList<Cut>> cuts,
    ImmutableList<ImmutableList<MigState.Device>> existing) {

  public static Demand of(Asking claim, Wish wish, Group group, Question question) {
    Offers.Offer offer = question.offers().of(wish, group);
    long repelling = Taints.repelling(question.inventory(), claim.request());
    if (!(wish.shape() instanceof Shape.Mig mig)) {
      int count = wish.all() ? Long.bitCount(offer.gpus()) : wish.count();
      return new Demand(
          claim, wish, count, offer.gpus() & ~repelling, ImmutableList.of(), ImmutableList.of());
    }
    return new Demand(
        claim,
        wish,
        wish.count(),
        0,
        repelling == 0 ? offer.cuts() : but(repelling, offer.cuts()),
        new Existing(question, claim, wish, mig, group, repelling).devices());
  }

  private static ImmutableList<ImmutableList<Cut>> but(
      long repelling, ImmutableList<ImmutableList<Cut>> cuts) {
    return IntStream.range(0, cuts.size())
        .mapToObj(gpu -> has(repelling, gpu) ? ImmutableList.<Cut>of() : cuts.get(gpu))
        .collect(toImmutableList());
  }

  private static boolean has(long gpus, int gpu) {
    return (gpus >> gpu & 1) == 1;
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
    return has(gpus, site.index());
  }

  /** What may be made of the GPU, the smallest first. */
  public ImmutableList<Cut> cutsOf(Site site) {
    return cuts.isEmpty() ? ImmutableList.of() : cuts.get(site.index());
  }

  /** Whether MIG devices that are there will do, on whichever GPU. */
  boolean hasExisting() {
    return existing.stream().anyMatch(there -> !there.isEmpty());
  }

  /** MIG devices that are there and will do. */
  public ImmutableList<MigState.Device> existingOf(Site site) {
    return existing.isEmpty() ? ImmutableList.of() : existing.get(site.index());
  }

  /** Equal for GPUs that it {@link #likesAlike}, and rarely for others; quick to find. */
  int liking(Site site) {
    int liking = takes(site) ? 1 : 0;
    for (Cut cut : cutsOf(site)) {
      liking = 31 * liking + Long.hashCode(cut.starts());
    }
    return 31 * liking + existingOf(site).size();
  }

  /** Whether it can have the same of both. */
  boolean likesAlike(Site one, Site other) {
    return takes(one) == takes(other)
        && cutsOf(one).equals(cutsOf(other))
        && slices(existingOf(one)).equals(slices(existingOf(other)));
  }

  private static ImmutableList<Part.Slice> slices(ImmutableList<MigState.Device> devices) {
    return devices.isEmpty()
        ? ImmutableList.of()
        : devices.stream().map(MigState.Device::slice).collect(toImmutableList());
  }

  /** The compute slices of the compute instance that is wanted of a GPU instance, if one is. */
  public OptionalInt instance() {
    return wish.shape() instanceof Shape.Mig mig ? mig.instance() : OptionalInt.empty();
  }

  /** MIG devices that are there and could serve the wish. */
  private record Existing(
      Question question, Asking claim, Wish wish, Shape.Mig mig, Group group, long repelling) {

    ImmutableList<ImmutableList<MigState.Device>> devices() {
      return question.noneExists() || isCarved()
          ? ImmutableList.of()
          : question.sites().stream().map(this::devices).collect(toImmutableList());
    }

    /** Nothing is carved out of what is not ours, and nothing that is carved is there already. */
    private boolean isCarved() {
      return claim.parent() || claim.request().inside().isPresent() || mig.instance().isPresent();
    }

    private ImmutableList<MigState.Device> devices(Site site) {
      return has(repelling, site.index())
          ? ImmutableList.of()
          : site.existing().stream()
              .filter(device -> will(site, device))
              .collect(toImmutableList());
    }

    private boolean will(Site site, MigState.Device device) {
      String name = device.slice().profile();
      return !Taints.keepAway(device.taints(), claim.request())
          && mig.isOf(name)
          && site.gpu().model().migProfiles().stream()
              .anyMatch(one -> one.name().equals(name) && group.slices(site.index(), one))
          && wish.condition()
              .matches(question.inventory(), site.index(), device.slice(), device.uuid());
    }
  }
}
