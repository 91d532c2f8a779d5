package io.gpudra.controller.allocation.cutting;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * GPU instances that are on a GPU, and what could be made beside them. One of its kind: equal ones
 * are the same. Safe for use by several threads; what is found out is kept.
 */
public final class Layout {
  private final Cuts cuts;
  private final ImmutableList<Slice> slices;
  private final int memoryTaken;
  private final int computeTaken;
  private final AtomicReferenceArray<@Nullable ImmutableList<Step>> steps;
  private volatile int @Nullable [] room;

  /** One more GPU instance, and what is there then. */
  private record Step(Slice slice, Layout then) {}

  Layout(Cuts cuts, ImmutableList<Slice> slices) {
    this.cuts = cuts;
    this.slices = slices;
    this.memoryTaken = slices.stream().mapToInt(Slice::size).sum();
    this.computeTaken = slices.stream().mapToInt(Slice::compute).sum();
    this.steps = new AtomicReferenceArray<>(cuts.largestFirst().size());
  }

  /** Where one of a profile could be made, what keeps most room for large ones first. */
  private ImmutableList<Step> steps(MigProfile profile) {
    int number = cuts.number(profile);
    ImmutableList<Step> known = steps.get(number);
    if (known == null) {
      known = findSteps(profile);
      steps.set(number, known);
    }
    return known;
  }

  private ImmutableList<Step> findSteps(MigProfile profile) {
    return ImmutableList.sortedCopyOf(
        Comparator.comparing(step -> step.then.room(), Ints.lexicographicalComparator().reversed()),
        possible(profile));
  }

  /** By start. */
  private List<Step> possible(MigProfile profile) {
    List<Step> possible = new ArrayList<>();
    for (int start : profile.starts()) {
      Slice slice = Cut.slice(profile, start);
      ImmutableList<Slice> all = ImmutableList.copyOf(Iterables.concat(slices, List.of(slice)));
      if (cuts.holds(all)) {
        possible.add(new Step(slice, cuts.layout(all)));
      }
    }
    return possible;
  }

  /** How many of one profile could be made, if nothing else is. */
  public int most(MigProfile profile) {
    return room()[cuts.number(profile)];
  }

  /** How many could be made of each profile, from the largest down. Not to be changed. */
  public int[] room() {
    int[] known = room;
    if (known == null) {
      known = cuts.largestFirst().stream().mapToInt(this::count).toArray();
      room = known;
    }
    return known;
  }

  private int count(MigProfile profile) {
    return steps(profile).stream().mapToInt(step -> 1 + step.then.most(profile)).max().orElse(0);
  }

  /** What the GPU can be cut into, from the largest down. */
  public ImmutableList<MigProfile> profiles() {
    return cuts.largestFirst();
  }

  /** Memory slices of the GPU. */
  public int memory() {
    return cuts.memory();
  }

  /** Memory slices beside the GPU instances. */
  public int memoryLeft() {
    return Math.max(0, cuts.memory() - memoryTaken);
  }

  /** Compute slices of the GPU instances. */
  public int computeTaken() {
    return computeTaken;
  }

  /**
   * Compute slices that are left and have memory slices to go with them, wherever they are: no
   * fewer than can be had.
   */
  public int computeLeft() {
    int besideMemory = (int) ((cuts.memory() - memoryTaken) * cuts.density());
    return Math.max(0, Math.min(cuts.compute() - computeTaken, besideMemory));
  }

  /**
   * Where all of these could be, in their order: whether there is a way is exact, among the ways
   * each keeps as much room for large profiles as it can. Empty when there is none.
   */
  public Optional<Placed> place(ImmutableList<Cut> wanted) {
    return place(wanted, new HashSet<>());
  }

  /**
   * GPU instances that fit beside those that are there.
   *
   * @param then what is there with them
   */
  public record Placed(ImmutableList<Slice> slices, Layout then) {
    private Placed after(Slice first) {
      return new Placed(ImmutableList.copyOf(Iterables.concat(List.of(first), slices)), then);
    }
  }

  private record Refuted(Layout layout, int remaining) {}

  private Optional<Placed> place(List<Cut> wanted, Set<Refuted> refuted) {
    if (wanted.isEmpty()) {
      return Optional.of(new Placed(ImmutableList.of(), this));
    }
    if (!refuted.contains(new Refuted(this, wanted.size()))) {
      for (Step step : steps(wanted.get(0).profile())) {
        Optional<Placed> rest =
            wanted.get(0).mayStartAt(step.slice.start())
                ? step.then.place(wanted.subList(1, wanted.size()), refuted)
                : Optional.empty();
        if (rest.isPresent()) {
          return Optional.of(rest.get().after(step.slice));
        }
      }
      refuted.add(new Refuted(this, wanted.size()));
    }
    return Optional.empty();
  }
}
