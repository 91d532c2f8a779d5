package io.gpudra.controller.allocation.cutting;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigProfile;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * GPU instances that are on a GPU, and what could be made beside them. One of its kind, as long as
 * it is remembered: equal ones are the same. Safe for use by several threads; what is found out is
 * kept. How much there is to find out, some node's inventory says.
 */
public final class Layout {
  private final Cuts cuts;
  private final ImmutableList<Slice> slices;
  private final int memoryTaken;
  private final int computeTaken;
  private final AtomicReferenceArray<@Nullable ImmutableList<Step>> steps;
  private volatile int @Nullable [] room;

  /** As long as it takes to find the ways to make one more of a profile, in ways that are known. */
  static final int NEW = 100;

  /** One more GPU instance, and what is there then, unless that was forgotten. */
  private record Step(Slice slice, WeakReference<Layout> then) {}

  Layout(Cuts cuts, ImmutableList<Slice> slices) {
    this.cuts = cuts;
    this.slices = slices;
    this.memoryTaken = slices.stream().mapToInt(Slice::size).sum();
    this.computeTaken = slices.stream().mapToInt(Slice::compute).sum();
    this.steps = new AtomicReferenceArray<>(cuts.largestFirst().size());
  }

  /** Where one of a profile could be made, what keeps most room for large ones first. */
  private ImmutableList<Step> steps(MigProfile profile, Effort effort) {
    int number = cuts.number(profile);
    ImmutableList<Step> known = steps.get(number);
    if (known == null) {
      if (!effort.spend(NEW)) {
        return ImmutableList.of();
      }
      known = findSteps(profile);
      steps.set(number, known);
    }
    return known;
  }

  private ImmutableList<Step> findSteps(MigProfile profile) {
    return possible(profile).stream()
        .sorted(
            Comparator.comparing(
                slice -> with(slice).room(), Ints.lexicographicalComparator().reversed()))
        .map(slice -> new Step(slice, new WeakReference<>(with(slice))))
        .collect(toImmutableList());
  }

  private Layout then(Step step) {
    Layout known = step.then.get();
    return known == null ? with(step.slice) : known;
  }

  private Layout with(Slice more) {
    return cuts.layout(and(List.of(more)));
  }

  private ImmutableList<Slice> and(List<Slice> more) {
    return ImmutableList.copyOf(Iterables.concat(slices, more));
  }

  /** By start. */
  private List<Slice> possible(MigProfile profile) {
    List<Slice> possible = new ArrayList<>();
    for (int start : profile.starts()) {
      Slice slice = Cut.slice(profile, start);
      if (cuts.holds(and(List.of(slice)))) {
        possible.add(slice);
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

  /**
   * As all take equally much, wherever they are, each may be the first that fits beside the others;
   * of what then lacks besides places, it matters only how many there are.
   */
  private int count(MigProfile profile) {
    List<Slice> disjoint = disjoint(profile);
    int most = Math.min(profile.most(), disjoint.size());
    while (most > 0 && !cuts.holds(and(disjoint.subList(0, most)))) {
      most--;
    }
    return most;
  }

  private List<Slice> disjoint(MigProfile profile) {
    List<Slice> disjoint = new ArrayList<>();
    int end = 0;
    for (int start : profile.starts()) {
      Slice next = Cut.slice(profile, start);
      if (start >= end && slices.stream().noneMatch(next::overlaps)) {
        disjoint.add(next);
        end = next.end();
      }
    }
    return disjoint;
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
   * each keeps as much room for large profiles as it can. Empty when there is none, or no effort is
   * left to find it.
   */
  public Optional<Placed> place(ImmutableList<Cut> wanted, Effort effort) {
    return new Placing(effort).place(this, wanted, /* taken= */ 0);
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

  /**
   * One search for places: after as many of those that are wanted, all that matters is where they
   * are.
   */
  private static final class Placing {
    private final Effort effort;
    private final Set<Refuted> refuted = new HashSet<>();

    private record Refuted(long taken, int remaining) {}

    Placing(Effort effort) {
      this.effort = effort;
    }

    /**
     * @param taken memory slices of those that were placed, as bits
     */
    Optional<Placed> place(Layout layout, List<Cut> wanted, long taken) {
      if (wanted.isEmpty()) {
        return Optional.of(new Placed(ImmutableList.of(), layout));
      }
      Refuted here = new Refuted(taken, wanted.size());
      if (!effort.spend(1) || refuted.contains(here)) {
        return Optional.empty();
      }
      for (Step step : layout.steps(wanted.get(0).profile(), effort)) {
        Optional<Placed> rest =
            wanted.get(0).mayStartAt(step.slice.start())
                ? place(layout.then(step), rest(wanted), taken | bits(step.slice))
                : Optional.empty();
        if (rest.isPresent()) {
          return Optional.of(rest.get().after(step.slice));
        }
      }
      refuted.add(here);
      return Optional.empty();
    }

    private static List<Cut> rest(List<Cut> wanted) {
      return wanted.subList(1, wanted.size());
    }

    private static long bits(Slice slice) {
      return ((1L << slice.size()) - 1) << slice.start();
    }
  }

  /**
   * A GPU instance that is wanted of a GPU, wherever it fits.
   *
   * @param starts first memory slices at which it will do: bit <i>i</i> stands for <i>i</i>
   */
  public record Cut(MigProfile profile, long starts) {

    public static Slice slice(MigProfile profile, int start) {
      return new Slice(profile.name(), start, profile.size(), profile.compute(), Optional.empty());
    }

    public boolean mayStartAt(int start) {
      return (starts >> start & 1) == 1;
    }
  }
}
