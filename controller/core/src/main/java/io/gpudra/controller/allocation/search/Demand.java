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
 * A wish of a claim, and the places on the node that could serve it, in use or not.
 *
 * @param claim one of the claims in question
 * @param gpus the GPUs that suit as a whole, as bits
 * @param cuts by GPU, the MIG devices that may be made, the smallest first; none for other shapes
 * @param existing by GPU, the existing MIG devices that suit; empty if no GPU has any
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

  /** Whether it is carved out of the devices of another claim. */
  boolean isCarved() {
    return request().inside().isPresent();
  }

  /** Whether the GPU suits as a whole or for a share. */
  public boolean takes(Site site) {
    return has(gpus, site.index());
  }

  /** The MIG devices that may be made of the GPU, the smallest first. */
  public ImmutableList<Cut> cutsOf(Site site) {
    return cuts.isEmpty() ? ImmutableList.of() : cuts.get(site.index());
  }

  /** Whether existing MIG devices suit, on any GPU. */
  boolean hasExisting() {
    return existing.stream().anyMatch(there -> !there.isEmpty());
  }

  /** Existing MIG devices that suit. */
  public ImmutableList<MigState.Device> existingOf(Site site) {
    return existing.isEmpty() ? ImmutableList.of() : existing.get(site.index());
  }

  /** A hash: equal for GPUs that it {@link #likesAlike}, and rarely for others. */
  int liking(Site site) {
    int liking = takes(site) ? 1 : 0;
    for (Cut cut : cutsOf(site)) {
      liking = 31 * liking + Long.hashCode(cut.starts());
    }
    return 31 * liking + existingOf(site).size();
  }

  /** Whether both GPUs can give it the same. */
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

  /** The compute slices of the wanted compute instance, if any. */
  public OptionalInt instance() {
    return wish.shape() instanceof Shape.Mig mig ? mig.instance() : OptionalInt.empty();
  }

  /** Existing MIG devices that could serve the wish. */
  private record Existing(
      Question question, Asking claim, Wish wish, Shape.Mig mig, Group group, long repelling) {

    ImmutableList<ImmutableList<MigState.Device>> devices() {
      return question.noneExists() || isCarved()
          ? ImmutableList.of()
          : question.sites().stream().map(this::devices).collect(toImmutableList());
    }

    /** Only our own MIG devices are divided, and a carved device never exists beforehand. */
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
