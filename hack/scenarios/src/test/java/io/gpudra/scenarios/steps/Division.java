package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.Part.Whole;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.PartHolding;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether parts of one GPU can be held at the same time, found out pair by pair and by adding up:
 * the judgement of the driver is what is judged here.
 */
final class Division {
  private static final int MAX_SHARES = 48;

  private Division() {}

  /**
   * What is wrong with these, where equal parts of one claim are one.
   *
   * @param gpu with the MIG devices that are there without the driver
   */
  static Optional<String> problem(Gpu gpu, Collection<PartHolding> held) {
    ImmutableList<PartHolding> all = ImmutableSet.copyOf(held).asList();
    for (int i = 0; i < all.size(); i++) {
      Optional<String> problem = problem(gpu, all.get(i), all.subList(0, i));
      if (problem.isPresent()) {
        return problem;
      }
    }
    return sums(gpu, all);
  }

  private static Optional<String> problem(Gpu gpu, PartHolding one, List<PartHolding> others) {
    if (!isPossible(gpu, one.part())) {
      return Optional.of("%s cannot be there".formatted(one));
    }
    return others.stream()
        .filter(other -> clash(one, other))
        .findFirst()
        .map(other -> "%s and %s exclude each other".formatted(other, one));
  }

  private static boolean isPossible(Gpu gpu, GrantedPart part) {
    List<MigState.Device> there = gpu.mig().devices();
    if (!(part.part() instanceof Slice slice)) {
      return there.isEmpty();
    }
    return part.existing()
        ? there.stream().anyMatch(one -> !one.foreign() && one.slice().equals(slice))
        : there.stream().noneMatch(one -> meet(one.slice(), slice)) && canBeMade(gpu, slice);
  }

  private static boolean canBeMade(Gpu gpu, Slice slice) {
    return gpu.model().migProfiles().stream()
        .filter(profile -> profile.name().equals(slice.profile()))
        .anyMatch(
            profile ->
                profile.size() == slice.size()
                    && profile.compute() == slice.compute()
                    && profile.starts().contains(slice.start()));
  }

  static boolean clash(PartHolding one, PartHolding other) {
    if (isInside(one, other) || isInside(other, one)) {
      return false;
    }
    Part some = one.part().part();
    Part more = other.part().part();
    if (some instanceof Share && more instanceof Share) {
      return one.claim().equals(other.claim())
          || !one.part().sharing().setting().equals(other.part().sharing().setting());
    }
    return !(some instanceof Slice slice
        && more instanceof Slice otherSlice
        && (!meet(slice, otherSlice) || areSideBySide(one, other)));
  }

  private static boolean meet(Slice one, Slice other) {
    return one.start() < other.start() + other.size() && other.start() < one.start() + one.size();
  }

  private static boolean isInside(PartHolding child, PartHolding parent) {
    return child.part().inside().equals(Optional.of(parent.claim()))
        && child.part().part() instanceof Slice inner
        && (parent.part().part() instanceof Whole
            || (parent.part().part() instanceof Slice outer
                && outer.instance().isEmpty()
                && inner.instance().isPresent()
                && sameInstance(inner, outer)));
  }

  private static boolean sameInstance(Slice one, Slice other) {
    return one.profile().equals(other.profile()) && one.start() == other.start();
  }

  /** Compute instances of the GPU instance of a third claim. */
  private static boolean areSideBySide(PartHolding one, PartHolding other) {
    Slice some = (Slice) one.part().part();
    Slice more = (Slice) other.part().part();
    return one.part().inside().isPresent()
        && one.part().inside().equals(other.part().inside())
        && sameInstance(some, more)
        && some.instance().isPresent()
        && more.instance().isPresent()
        && isBefore(some.instance().get(), more.instance().get())
            != isBefore(more.instance().get(), some.instance().get());
  }

  private static boolean isBefore(Instance one, Instance other) {
    return one.start() + one.compute() <= other.start();
  }

  private static Optional<String> sums(Gpu gpu, List<PartHolding> held) {
    long memory = 0;
    int millicores = 0;
    int shares = 0;
    int percent = Integer.MAX_VALUE;
    for (PartHolding holding : held) {
      if (holding.part().part() instanceof Share share) {
        shares++;
        memory += share.memoryBytes();
        millicores += share.millicores();
        percent = Math.min(percent, holding.part().overcommitPercent());
      }
    }
    boolean tooMuch =
        shares > 0
            && (shares > MAX_SHARES
                || millicores > 1000
                || memory > (double) gpu.memoryBytes() * percent / 100);
    return tooMuch || compute(held) > mostCompute(gpu)
        ? Optional.of("%s are more than %s has".formatted(held, gpu.name()))
        : Optional.empty();
  }

  /** Of GPU instances, each once. */
  private static int compute(List<PartHolding> held) {
    return held.stream()
        .flatMap(holding -> slices(holding.part()))
        .map(slice -> List.of(slice.profile(), slice.start(), slice.compute()))
        .distinct()
        .mapToInt(slice -> (int) slice.get(2))
        .sum();
  }

  private static Stream<Slice> slices(GrantedPart part) {
    return part.part() instanceof Slice slice ? Stream.of(slice) : Stream.of();
  }

  private static int mostCompute(Gpu gpu) {
    return gpu.model().migProfiles().stream().mapToInt(MigProfile::compute).max().orElse(0);
  }
}
