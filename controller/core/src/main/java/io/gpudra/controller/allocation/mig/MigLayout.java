package io.gpudra.controller.allocation.mig;

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
 * The GPU instances on a GPU, and those that could be made beside them. Equal layouts are the same
 * object while it is remembered. Safe for use by several threads. Results are kept; their number
 * depends on the inventory of a node.
 */
public final class MigLayout {
  private final MigLayouts migLayouts;
  private final ImmutableList<Slice> slices;
  private final int memoryTaken;
  private final int computeTaken;
  private final AtomicReferenceArray<@Nullable ImmutableList<Step>> steps;
  private volatile int @Nullable [] room;

  /** The cost of finding the places for one more instance, in units of known places. */
  static final int NEW = 100;

  /** One more GPU instance, and the resulting layout, unless it was forgotten. */
  private record Step(Slice slice, WeakReference<MigLayout> then) {}

  MigLayout(MigLayouts migLayouts, ImmutableList<Slice> slices) {
    this.migLayouts = migLayouts;
    this.slices = slices;
    this.memoryTaken = slices.stream().mapToInt(Slice::size).sum();
    this.computeTaken = slices.stream().mapToInt(Slice::compute).sum();
    this.steps = new AtomicReferenceArray<>(migLayouts.largestFirst().size());
  }

  /** The places for one of a profile; those that keep most room for large ones come first. */
  private ImmutableList<Step> steps(MigProfile profile, LayoutBudget layoutBudget) {
    int number = migLayouts.number(profile);
    ImmutableList<Step> known = steps.get(number);
    if (known == null) {
      if (!layoutBudget.spend(NEW)) {
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

  private MigLayout then(Step step) {
    MigLayout known = step.then.get();
    return known == null ? with(step.slice) : known;
  }

  private MigLayout with(Slice more) {
    return migLayouts.layout(and(List.of(more)));
  }

  private ImmutableList<Slice> and(List<Slice> more) {
    return ImmutableList.copyOf(Iterables.concat(slices, more));
  }

  /** The possible places, by start. */
  private List<Slice> possible(MigProfile profile) {
    List<Slice> possible = new ArrayList<>();
    for (int start : profile.starts()) {
      Slice slice = Cut.slice(profile, start);
      if (migLayouts.holds(and(List.of(slice)))) {
        possible.add(slice);
      }
    }
    return possible;
  }

  /** The maximum number of one profile alone. */
  public int most(MigProfile profile) {
    return room()[migLayouts.number(profile)];
  }

  /** The number that could be made of each profile, from the largest down. Not to be modified. */
  public int[] room() {
    int[] known = room;
    if (known == null) {
      known = migLayouts.largestFirst().stream().mapToInt(this::count).toArray();
      room = known;
    }
    return known;
  }

  /**
   * All instances take equally much at every place, so each may take the first place that fits.
   * Besides places, only their number limits them.
   */
  private int count(MigProfile profile) {
    List<Slice> disjoint = disjoint(profile);
    int most = Math.min(profile.most(), disjoint.size());
    while (most > 0 && !migLayouts.holds(and(disjoint.subList(0, most)))) {
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

  /** The profiles of the GPU, from the largest down. */
  public ImmutableList<MigProfile> profiles() {
    return migLayouts.largestFirst();
  }

  /** Memory slices of the GPU. */
  public int memory() {
    return migLayouts.memory();
  }

  /** Memory slices beside the GPU instances. */
  public int memoryLeft() {
    return Math.max(0, migLayouts.memory() - memoryTaken);
  }

  /** Compute slices of the GPU instances. */
  public int computeTaken() {
    return computeTaken;
  }

  /** An upper bound of the free compute slices that have memory slices to go with them. */
  public int computeLeft() {
    int besideMemory = (int) ((migLayouts.memory() - memoryTaken) * migLayouts.density());
    return Math.max(0, Math.min(migLayouts.compute() - computeTaken, besideMemory));
  }

  /**
   * Places for all of these, in their order. The existence of a result is exact; each place keeps
   * as much room for large profiles as possible. Empty without a solution, or when the budget is
   * spent.
   */
  public Optional<Placed> place(ImmutableList<Cut> wanted, LayoutBudget layoutBudget) {
    return new Placing(layoutBudget).place(this, wanted, /* taken= */ 0);
  }

  /**
   * GPU instances that fit beside the existing ones.
   *
   * @param then the resulting layout
   */
  public record Placed(ImmutableList<Slice> slices, MigLayout then) {
    private Placed after(Slice first) {
      return new Placed(ImmutableList.copyOf(Iterables.concat(List.of(first), slices)), then);
    }
  }

  /** One search for places: after a number of wanted instances, only their places matter. */
  private static final class Placing {
    private final LayoutBudget layoutBudget;
    private final Set<DeadEnd> refuted = new HashSet<>();

    private record DeadEnd(long taken, int remaining) {}

    Placing(LayoutBudget layoutBudget) {
      this.layoutBudget = layoutBudget;
    }

    /**
     * @param taken memory slices of the instances that were placed, as bits
     */
    Optional<Placed> place(MigLayout layout, List<Cut> wanted, long taken) {
      if (wanted.isEmpty()) {
        return Optional.of(new Placed(ImmutableList.of(), layout));
      }
      DeadEnd here = new DeadEnd(taken, wanted.size());
      if (!layoutBudget.spend(1) || refuted.contains(here)) {
        return Optional.empty();
      }
      for (Step step : layout.steps(wanted.get(0).profile(), layoutBudget)) {
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
   * A wanted GPU instance, at any of several starts.
   *
   * @param starts the first memory slices at which it suits: bit <i>i</i> stands for <i>i</i>
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
