package io.gpudra.controller.allocation.cutting;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.MigProfile;
import io.gpudra.crds.model.Part.Slice;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** GPU instances that are on a GPU, and what could be made beside them. */
public final class Layout {
  private final Cuts cuts;
  private final ImmutableList<Slice> slices;
  private final Map<Slice, Optional<Layout>> larger = new ConcurrentHashMap<>();
  private final Map<MigProfile, Integer> most = new ConcurrentHashMap<>();

  Layout(Cuts cuts, ImmutableList<Slice> slices) {
    this.cuts = cuts;
    this.slices = slices;
  }

  /** With one more, if it can be there. */
  private Optional<Layout> with(Slice slice) {
    Optional<Layout> known = larger.get(slice);
    if (known != null) {
      return known;
    }
    ImmutableList<Slice> all = ImmutableList.copyOf(Iterables.concat(slices, List.of(slice)));
    Optional<Layout> found = cuts.holds(all) ? Optional.of(cuts.layout(all)) : Optional.empty();
    larger.put(slice, found);
    return found;
  }

  /** With all of these, which can be there. */
  public Layout and(ImmutableList<Slice> more) {
    Layout all = this;
    for (Slice slice : more) {
      all = all.with(slice).orElseThrow();
    }
    return all;
  }

  /** How many of one profile could be made, if nothing else is. */
  public int most(MigProfile profile) {
    Integer known = most.get(profile);
    if (known != null) {
      return known;
    }
    int found = 0;
    for (int start : profile.starts()) {
      Optional<Layout> next = with(Cut.slice(profile, start));
      found = Math.max(found, next.isPresent() ? 1 + next.get().most(profile) : 0);
    }
    most.put(profile, found);
    return found;
  }

  /** How many could be made of each profile, from the largest down. */
  public int[] room() {
    return cuts.largestFirst().stream().mapToInt(this::most).toArray();
  }

  /** What the GPU can be cut into, from the largest down. */
  public ImmutableList<MigProfile> profiles() {
    return cuts.largestFirst();
  }

  public int memoryTaken() {
    return slices.stream().mapToInt(Slice::size).sum();
  }

  public int computeTaken() {
    return slices.stream().mapToInt(Slice::compute).sum();
  }

  /**
   * Where all of these could be, in their order: whether there is a way is exact, among the ways
   * each keeps as much room for large profiles as it can. Empty when there is none.
   */
  public Optional<ImmutableList<Slice>> place(ImmutableList<Cut> wanted) {
    return place(wanted, new HashSet<>());
  }

  private record Refuted(Layout layout, int remaining) {}

  private Optional<ImmutableList<Slice>> place(List<Cut> wanted, Set<Refuted> refuted) {
    if (wanted.isEmpty()) {
      return Optional.of(ImmutableList.of());
    }
    if (!refuted.contains(new Refuted(this, wanted.size()))) {
      for (Slice slice : bestFirst(wanted.get(0))) {
        Optional<ImmutableList<Slice>> rest =
            with(slice).orElseThrow().place(wanted.subList(1, wanted.size()), refuted);
        if (rest.isPresent()) {
          return Optional.of(ImmutableList.copyOf(Iterables.concat(List.of(slice), rest.get())));
        }
      }
      refuted.add(new Refuted(this, wanted.size()));
    }
    return Optional.empty();
  }

  private List<Slice> bestFirst(Cut cut) {
    Comparator<Slice> byRoom =
        Comparator.comparing(
            slice -> with(slice).orElseThrow().room(), Ints.lexicographicalComparator().reversed());
    return cut.profile().starts().stream()
        .filter(cut::mayStartAt)
        .map(start -> Cut.slice(cut.profile(), start))
        .filter(slice -> with(slice).isPresent())
        .sorted(byRoom.thenComparing(Slice::start))
        .toList();
  }
}
