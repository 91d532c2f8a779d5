package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.mig.LayoutBudget;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.refusal.TaintFilter;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.usage.PartHolding;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The parts that may be carved out of another claim's devices: GPU instances out of a GPU in MIG
 * mode, compute instances out of a GPU instance that was made for that.
 */
record NestedPlacement(
    GpuSearchState state, RequestCandidates candidates, LayoutBudget layoutBudget) {

  /** The next states of the GPU after each choice for the demand. */
  Stream<GpuSearchState> after() {
    if (candidates.instance().isEmpty()) {
      return isAllOfParent() ? state.cut(candidates, layoutBudget) : Stream.empty();
    }
    int compute = candidates.instance().getAsInt();
    return Stream.concat(ofMade(compute), ofHeld(compute));
  }

  private ClaimUid parent() {
    return candidates.request().inside().map(Parent::uid).orElseThrow();
  }

  private boolean isParents(GpuAssignment gpuAssignment) {
    return gpuAssignment.demand().request().uid().equals(parent());
  }

  private boolean isAllOfParent() {
    GpuCandidate candidate = state.candidate();
    return candidate.gpu().mig().mode() == MigMode.ENABLED
        && (candidate.heldBy(parent()).anyMatch(part -> part instanceof Part.Whole)
            || state.assignments().stream()
                .anyMatch(
                    gpuAssignment ->
                        gpuAssignment instanceof GpuAssignment.Whole && isParents(gpuAssignment)));
  }

  private Stream<GpuSearchState> ofMade(int compute) {
    return state.assignments().stream()
        .flatMap(
            gpuAssignment ->
                gpuAssignment instanceof GpuAssignment.PlannedMigDevice plannedMigDevice
                    ? Stream.of(plannedMigDevice)
                    : Stream.empty())
        .filter(this::isParents)
        .flatMap(plannedMigDevice -> ofMade(plannedMigDevice, compute));
  }

  private Stream<GpuSearchState> ofMade(
      GpuAssignment.PlannedMigDevice plannedMigDevice, int compute) {
    return cut(plannedMigDevice.cut())
        .map(cut -> instances(cut.profile().compute(), compute))
        .orElse(Stream.empty())
        .filter(instance -> plannedMigDevice.hasRoom(model(), instance))
        .flatMap(
            instance ->
                state
                    .carved(plannedMigDevice, carved(plannedMigDevice, instance), layoutBudget)
                    .stream());
  }

  private GpuAssignment.PlannedMigDevice carved(
      GpuAssignment.PlannedMigDevice plannedMigDevice, Instance instance) {
    ImmutableList<GpuAssignment.NestedInstance> all =
        ImmutableList.<GpuAssignment.NestedInstance>builder()
            .addAll(plannedMigDevice.nested())
            .add(new GpuAssignment.NestedInstance(candidates, instance))
            .build();
    return new GpuAssignment.PlannedMigDevice(
        plannedMigDevice.demand(), cut(plannedMigDevice.cut()).orElseThrow(), all);
  }

  /** The starts at which the GPU instance suits both. */
  private Optional<Cut> cut(Cut ofParent) {
    return candidates.cutsOf(state.candidate()).stream()
        .filter(own -> own.profile().equals(ofParent.profile()))
        .map(own -> new Cut(own.profile(), own.starts() & ofParent.starts()))
        .findFirst();
  }

  private Stream<GpuSearchState> ofHeld(int compute) {
    return state
        .candidate()
        .heldBy(parent())
        .flatMap(part -> part instanceof Slice slice ? Stream.of(slice) : Stream.empty())
        .filter(this::will)
        .flatMap(
            slice -> instances(slice.compute(), compute).map(one -> slice.with(Optional.of(one))))
        .filter(this::hasRoom)
        .map(slice -> state.inside(new GpuAssignment.InsideHeldDevice(candidates, slice)));
  }

  /** Whether no part of the GPU instance is tainted: only then may a device be carved out of it. */
  private boolean will(Slice slice) {
    return !TaintFilter.keepAway(
            state.candidate().gpu().mig().taintsIn(slice), candidates.request())
        && candidates.cutsOf(state.candidate()).stream()
            .anyMatch(
                cut ->
                    cut.profile().name().equals(slice.profile()) && cut.mayStartAt(slice.start()));
  }

  private boolean hasRoom(Slice instance) {
    Stream<Part> held =
        state.candidate().usage().holdings().stream()
            .filter(holding -> holding.part().inside().equals(Optional.of(parent())))
            .map(PartHolding::part)
            .map(part -> part.part());
    Stream<Part> chosen =
        state.assignments().stream()
            .flatMap(
                gpuAssignment ->
                    gpuAssignment instanceof GpuAssignment.InsideHeldDevice other
                        ? Stream.of(other.slice())
                        : Stream.empty());
    return Stream.concat(held, chosen).noneMatch(other -> meet(instance, other));
  }

  private boolean meet(Slice instance, Part other) {
    return other instanceof Slice slice
        && slice.sameInstance(instance)
        && (slice.instance().isEmpty()
            || room(slice.instance().get()).overlaps(room(instance.instance().orElseThrow())));
  }

  private GpuModel model() {
    return state.candidate().gpu().model();
  }

  private Instance room(Instance instance) {
    return model().room(instance);
  }

  /** The instances that start at a multiple of the room they occupy. */
  private Stream<Instance> instances(int ofGpuInstance, int compute) {
    int step = room(new Instance(0, compute)).compute();
    return IntStream.iterate(0, start -> start + compute <= ofGpuInstance, start -> start + step)
        .mapToObj(start -> new Instance(start, compute));
  }
}
