package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import io.gpudra.controller.allocation.mig.LayoutBudget;
import io.gpudra.controller.allocation.mig.MigLayout;
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

/** One GPU during the search: the candidate, and the assignments so far. */
public final class GpuSearchState {
  private static final Comparator<GpuAssignment.PlannedMigDevice> LARGEST_FIRST =
      Comparator.comparingInt(
              (GpuAssignment.PlannedMigDevice plannedMigDevice) ->
                  plannedMigDevice.cut().profile().size())
          .thenComparing(plannedMigDevice -> plannedMigDevice.cut().profile().compute())
          .reversed();

  private final GpuCandidate candidate;
  private final ImmutableList<GpuAssignment> assignments;
  private final GpuUsage usage;
  private final ImmutableList<Slice> places;
  private final MigLayout layout;

  private GpuSearchState(
      GpuCandidate candidate,
      ImmutableList<GpuAssignment> assignments,
      GpuUsage usage,
      ImmutableList<Slice> places,
      MigLayout layout) {
    this.candidate = candidate;
    this.assignments = assignments;
    this.usage = usage;
    this.places = places;
    this.layout = layout;
  }

  GpuCandidate candidate() {
    return candidate;
  }

  ImmutableList<GpuAssignment> assignments() {
    return assignments;
  }

  GpuUsage usage() {
    return usage;
  }

  /** The places of the MIG devices that are to be made. */
  ImmutableList<Slice> places() {
    return places;
  }

  /** The layout with the MIG devices that are to be made. */
  MigLayout layout() {
    return layout;
  }

  static GpuSearchState of(GpuCandidate candidate) {
    return new GpuSearchState(
        candidate, ImmutableList.of(), candidate.usage(), ImmutableList.of(), candidate.layout());
  }

  private GpuSearchState and(GpuAssignment more, GpuUsage then) {
    return new GpuSearchState(candidate, and(more), then, places, layout);
  }

  /** Equal for states of equal GPUs that have equally much capacity left. */
  ImmutableMultiset<Object> signature() {
    return assignments.stream().map(GpuAssignment::signature).collect(toImmutableMultiset());
  }

  /** The next states of the GPU after each choice for the demand. */
  Stream<GpuSearchState> after(RequestCandidates candidates, LayoutBudget layoutBudget) {
    DeviceKind kind = candidates.subRequest().kind();
    if (candidates.isCarved()) {
      return new NestedPlacement(this, candidates, layoutBudget).after();
    }
    if (kind instanceof DeviceKind.Mig) {
      return candidates.existingOf(candidate).isEmpty()
          ? made(candidates, layoutBudget)
          : Stream.concat(existing(candidates), made(candidates, layoutBudget));
    }
    if (!candidates.accepts(candidate)) {
      return Stream.empty();
    }
    return kind instanceof DeviceKind.Share share
        ? share(candidates, share).stream()
        : whole(candidates);
  }

  private Stream<GpuSearchState> whole(RequestCandidates candidates) {
    return candidate.acceptsWhole() && assignments.isEmpty()
        ? Stream.of(and(new GpuAssignment.Whole(candidates), usage))
        : Stream.empty();
  }

  private Optional<GpuSearchState> share(RequestCandidates candidates, DeviceKind.Share share) {
    if (!candidate.acceptsShares()
        || assignments.stream().anyMatch(gpuAssignment -> isInTheWay(gpuAssignment, candidates))) {
      return Optional.empty();
    }
    PartHolding holding =
        new PartHolding(
            candidates.request().uid(), part(candidate, candidates.subRequest(), share));
    GpuUsage next = usage.with(holding);
    return next.conflict().isPresent()
        ? Optional.empty()
        : Optional.of(and(new GpuAssignment.Share(candidates, holding), next));
  }

  /** Shares of one claim are on different GPUs. */
  private static boolean isInTheWay(GpuAssignment gpuAssignment, RequestCandidates candidates) {
    return !(gpuAssignment instanceof GpuAssignment.Share)
        || gpuAssignment.demand().claim().equals(candidates.claim());
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
    if (!candidate.acceptsSlices() || !hasOnlySlices()) {
      return Stream.empty();
    }
    ImmutableMultiset<Object> chosen = signature();
    return candidates.existingOf(candidate).stream()
        .filter(device -> !chosen.contains(device.slice()))
        .map(device -> and(new GpuAssignment.ExistingMigDevice(candidates, device), usage));
  }

  private Stream<GpuSearchState> made(RequestCandidates candidates, LayoutBudget layoutBudget) {
    return candidate.acceptsCuts() && hasOnlySlices()
        ? cut(candidates, layoutBudget)
        : Stream.empty();
  }

  /** Each way to divide the GPU for the demand. */
  Stream<GpuSearchState> cut(RequestCandidates candidates, LayoutBudget layoutBudget) {
    return candidates.cutsOf(candidate).stream()
        .filter(cut -> cut.profile().compute() <= layout.computeLeft())
        .map(cut -> new GpuAssignment.PlannedMigDevice(candidates, cut, ImmutableList.of()))
        .flatMap(
            more -> beside(more, layoutBudget).or(() -> moved(and(more), layoutBudget)).stream());
  }

  /** The state with one more MIG device beside the others, which keep their places. */
  private Optional<GpuSearchState> beside(
      GpuAssignment.PlannedMigDevice more, LayoutBudget layoutBudget) {
    return layout
        .place(ImmutableList.of(more.cut()), layoutBudget)
        .map(
            placed ->
                new GpuSearchState(
                    candidate,
                    and(more),
                    usage,
                    ImmutableList.<Slice>builder().addAll(places).addAll(placed.slices()).build(),
                    placed.then()));
  }

  /** The state with a compute instance inside a MIG device that is to be made. */
  Optional<GpuSearchState> carved(
      GpuAssignment.PlannedMigDevice out,
      GpuAssignment.PlannedMigDevice carved,
      LayoutBudget layoutBudget) {
    return moved(
        assignments.stream()
            .map(gpuAssignment -> gpuAssignment == out ? carved : gpuAssignment)
            .collect(toImmutableList()),
        layoutBudget);
  }

  /** The state with all of these, at any places where they fit together. */
  private Optional<GpuSearchState> moved(
      ImmutableList<GpuAssignment> all, LayoutBudget layoutBudget) {
    List<GpuAssignment.PlannedMigDevice> toMake = toMake(all);
    List<Integer> largestFirst =
        IntStream.range(0, toMake.size())
            .boxed()
            .sorted(Comparator.comparing(toMake::get, LARGEST_FIRST))
            .toList();
    return candidate
        .layout()
        .place(
            largestFirst.stream().map(i -> toMake.get(i).cut()).collect(toImmutableList()),
            layoutBudget)
        .map(
            placed ->
                new GpuSearchState(
                    candidate, all, usage, inOrder(largestFirst, placed.slices()), placed.then()));
  }

  private static ImmutableList<Slice> inOrder(List<Integer> numbers, List<Slice> slices) {
    Slice[] ordered = new Slice[slices.size()];
    for (int i = 0; i < ordered.length; i++) {
      ordered[numbers.get(i)] = slices.get(i);
    }
    return ImmutableList.copyOf(ordered);
  }

  /** The state with a compute instance inside a MIG device that is held. */
  GpuSearchState inside(GpuAssignment.InsideHeldDevice instance) {
    return and(instance, usage);
  }

  /** The same new MIG devices on an equivalent GPU. */
  GpuSearchState madeOn(GpuCandidate other) {
    return new GpuSearchState(other, assignments, other.usage(), places, layout);
  }

  /** Whether no choice excludes MIG devices of others. */
  boolean hasOnlySlices() {
    for (GpuAssignment gpuAssignment : assignments) {
      if (gpuAssignment instanceof GpuAssignment.Whole
          || gpuAssignment instanceof GpuAssignment.Share) {
        return false;
      }
    }
    return true;
  }

  private ImmutableList<GpuAssignment> and(GpuAssignment more) {
    return ImmutableList.<GpuAssignment>builder().addAll(assignments).add(more).build();
  }

  /** MIG devices that are to be made, in the order of {@link #places}. */
  ImmutableList<GpuAssignment.PlannedMigDevice> toMake() {
    return toMake(assignments);
  }

  private static ImmutableList<GpuAssignment.PlannedMigDevice> toMake(
      List<GpuAssignment> assignments) {
    return assignments.stream()
        .flatMap(
            gpuAssignment ->
                gpuAssignment instanceof GpuAssignment.PlannedMigDevice one
                    ? Stream.of(one)
                    : Stream.empty())
        .collect(toImmutableList());
  }
}
