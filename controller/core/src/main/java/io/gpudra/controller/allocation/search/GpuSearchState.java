package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import io.gpudra.controller.allocation.cutting.LayoutBudget;
import io.gpudra.controller.allocation.cutting.MigLayout;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One GPU during the search: the candidate, and the assignments so far. Begins with {@link #of}.
 *
 * @param places of the MIG devices that are to be made
 * @param layout with the MIG devices that are to be made
 */
public record GpuSearchState(
    GpuCandidate site,
    ImmutableList<GpuAssignment> picks,
    GpuUsage usage,
    ImmutableList<Slice> places,
    MigLayout layout) {
  private static final Comparator<GpuAssignment.Made> LARGEST_FIRST =
      Comparator.comparingInt((GpuAssignment.Made made) -> made.cut().profile().size())
          .thenComparing(made -> made.cut().profile().compute())
          .reversed();

  static GpuSearchState of(GpuCandidate candidate) {
    return new GpuSearchState(
        candidate, ImmutableList.of(), candidate.usage(), ImmutableList.of(), candidate.layout());
  }

  private GpuSearchState and(GpuAssignment more, GpuUsage then) {
    return new GpuSearchState(site, and(more), then, places, layout);
  }

  /** Equal for states of equal GPUs that have equally much capacity left. */
  ImmutableMultiset<Object> what() {
    return picks.stream().map(GpuAssignment::what).collect(toImmutableMultiset());
  }

  /** The next states of the GPU after each choice for the demand. */
  Stream<GpuSearchState> after(RequestCandidates candidates, LayoutBudget layoutBudget) {
    DeviceKind kind = candidates.subRequest().shape();
    if (candidates.isCarved()) {
      return new NestedPlacement(this, candidates, layoutBudget).after();
    }
    if (kind instanceof DeviceKind.Mig) {
      return candidates.existingOf(site).isEmpty()
          ? made(candidates, layoutBudget)
          : Stream.concat(existing(candidates), made(candidates, layoutBudget));
    }
    if (!candidates.takes(site)) {
      return Stream.empty();
    }
    return kind instanceof DeviceKind.Share share
        ? share(candidates, share).stream()
        : whole(candidates);
  }

  private Stream<GpuSearchState> whole(RequestCandidates candidates) {
    return site.takesWhole() && picks.isEmpty()
        ? Stream.of(and(new GpuAssignment.Whole(candidates), usage))
        : Stream.empty();
  }

  private Optional<GpuSearchState> share(RequestCandidates candidates, DeviceKind.Share share) {
    if (!site.takesShares()
        || picks.stream().anyMatch(gpuAssignment -> isInTheWay(gpuAssignment, candidates))) {
      return Optional.empty();
    }
    PartHolding holding =
        new PartHolding(candidates.request().uid(), part(site, candidates.subRequest(), share));
    GpuUsage next = usage.with(holding);
    return next.conflict().isPresent()
        ? Optional.empty()
        : Optional.of(and(new GpuAssignment.Share(candidates, holding), next));
  }

  /** Shares of one claim are on different GPUs. */
  private static boolean isInTheWay(GpuAssignment gpuAssignment, RequestCandidates candidates) {
    return !(gpuAssignment instanceof GpuAssignment.Share)
        || gpuAssignment.by().claim().equals(candidates.claim());
  }

  private static GrantedPart part(
      GpuCandidate candidate, DeviceSubRequest subRequest, DeviceKind.Share share) {
    return new GrantedPart(
        candidate.gpu().uuid(),
        new Part.Share(share.memoryBytes(), share.millicores()),
        subRequest.sharing(),
        share.overcommitPercent(),
        /* existing= */ false,
        Optional.empty(),
        subRequest.name());
  }

  private Stream<GpuSearchState> existing(RequestCandidates candidates) {
    if (!site.takesSlices() || !hasOnlySlices()) {
      return Stream.empty();
    }
    ImmutableMultiset<Object> chosen = what();
    return candidates.existingOf(site).stream()
        .filter(device -> !chosen.contains(device.slice()))
        .map(device -> and(new GpuAssignment.Existing(candidates, device), usage));
  }

  private Stream<GpuSearchState> made(RequestCandidates candidates, LayoutBudget layoutBudget) {
    return site.takesCuts() && hasOnlySlices() ? cut(candidates, layoutBudget) : Stream.empty();
  }

  /** Each way to divide the GPU for the demand. */
  Stream<GpuSearchState> cut(RequestCandidates candidates, LayoutBudget layoutBudget) {
    return candidates.cutsOf(site).stream()
        .filter(cut -> cut.profile().compute() <= layout.computeLeft())
        .map(cut -> new GpuAssignment.Made(candidates, cut, ImmutableList.of()))
        .flatMap(
            more -> beside(more, layoutBudget).or(() -> moved(and(more), layoutBudget)).stream());
  }

  /** The state with one more MIG device beside the others, which keep their places. */
  private Optional<GpuSearchState> beside(GpuAssignment.Made more, LayoutBudget layoutBudget) {
    return layout
        .place(ImmutableList.of(more.cut()), layoutBudget)
        .map(
            placed ->
                new GpuSearchState(
                    site,
                    and(more),
                    usage,
                    ImmutableList.<Slice>builder().addAll(places).addAll(placed.slices()).build(),
                    placed.then()));
  }

  /** The state with a compute instance inside a MIG device that is to be made. */
  Optional<GpuSearchState> carved(
      GpuAssignment.Made out, GpuAssignment.Made carved, LayoutBudget layoutBudget) {
    return moved(
        picks.stream()
            .map(gpuAssignment -> gpuAssignment == out ? carved : gpuAssignment)
            .collect(toImmutableList()),
        layoutBudget);
  }

  /** The state with all of these, at any places where they fit together. */
  private Optional<GpuSearchState> moved(
      ImmutableList<GpuAssignment> all, LayoutBudget layoutBudget) {
    List<GpuAssignment.Made> toMake = toMake(all);
    List<Integer> largestFirst =
        IntStream.range(0, toMake.size())
            .boxed()
            .sorted(Comparator.comparing(toMake::get, LARGEST_FIRST))
            .toList();
    return site.layout()
        .place(
            largestFirst.stream().map(i -> toMake.get(i).cut()).collect(toImmutableList()),
            layoutBudget)
        .map(
            placed ->
                new GpuSearchState(
                    site, all, usage, inOrder(largestFirst, placed.slices()), placed.then()));
  }

  private static ImmutableList<Slice> inOrder(List<Integer> numbers, List<Slice> slices) {
    Slice[] ordered = new Slice[slices.size()];
    for (int i = 0; i < ordered.length; i++) {
      ordered[numbers.get(i)] = slices.get(i);
    }
    return ImmutableList.copyOf(ordered);
  }

  /** The state with a compute instance inside a MIG device that is held. */
  GpuSearchState inside(GpuAssignment.Inside instance) {
    return and(instance, usage);
  }

  /** The same new MIG devices on an equivalent GPU. */
  GpuSearchState madeOn(GpuCandidate other) {
    return new GpuSearchState(other, picks, other.usage(), places, layout);
  }

  /** Whether no choice excludes MIG devices of others. */
  boolean hasOnlySlices() {
    for (GpuAssignment gpuAssignment : picks) {
      if (gpuAssignment instanceof GpuAssignment.Whole
          || gpuAssignment instanceof GpuAssignment.Share) {
        return false;
      }
    }
    return true;
  }

  private ImmutableList<GpuAssignment> and(GpuAssignment more) {
    return ImmutableList.<GpuAssignment>builder().addAll(picks).add(more).build();
  }

  /** MIG devices that are to be made, in the order of {@link #places}. */
  ImmutableList<GpuAssignment.Made> toMake() {
    return toMake(picks);
  }

  private static ImmutableList<GpuAssignment.Made> toMake(List<GpuAssignment> picks) {
    return picks.stream()
        .flatMap(
            gpuAssignment ->
                gpuAssignment instanceof GpuAssignment.Made one ? Stream.of(one) : Stream.empty())
        .collect(toImmutableList());
  }
}
