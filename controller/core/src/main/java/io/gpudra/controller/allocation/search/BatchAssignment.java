package io.gpudra.controller.allocation.search;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The chosen devices as grants: by claim, in the order of the node's devices. */
public final class BatchAssignment {
  private final ListMultimap<ClaimUid, GrantedDevice> all = ArrayListMultimap.create();

  private BatchAssignment() {}

  public static ImmutableListMultimap<ClaimUid, GrantedDevice> of(
      ImmutableList<GpuSearchState> gpus) {
    BatchAssignment batchAssignment = new BatchAssignment();
    gpus.forEach(batchAssignment::add);
    return ImmutableListMultimap.copyOf(batchAssignment.all);
  }

  /**
   * A whole GPU.
   *
   * @param position among the claim's devices, from 0
   */
  public static GrantedDevice whole(Gpu gpu, DeviceSubRequest subRequest, int position) {
    return new GrantedDevice(
        gpu.name(),
        new GrantedPart(
            gpu.uuid(),
            new Part.Whole(),
            subRequest.sharing(position, gpu.uuid()),
            /* overcommitPercent= */ 100,
            /* existing= */ false,
            Optional.empty(),
            subRequest.name()),
        /* parent= */ false);
  }

  private void add(GpuSearchState state) {
    Gpu gpu = state.candidate().gpu();
    state.assignments().forEach(gpuAssignment -> add(gpu, gpuAssignment));
    ImmutableList<GpuAssignment.PlannedMigDevice> made = state.toMake();
    IntStream.range(0, made.size())
        .boxed()
        .sorted(Comparator.comparing(i -> state.places().get(i).start()))
        .forEach(i -> add(gpu, made.get(i), state.places().get(i)));
  }

  private void add(Gpu gpu, GpuAssignment gpuAssignment) {
    if (gpuAssignment instanceof GpuAssignment.Whole) {
      add(gpu, gpuAssignment.demand(), new Part.Whole(), /* existing= */ false);
    } else if (gpuAssignment instanceof GpuAssignment.Share share) {
      add(gpu, gpuAssignment.demand(), share.holding().part().part(), /* existing= */ false);
    } else if (gpuAssignment instanceof GpuAssignment.ExistingMigDevice existing) {
      add(gpu, gpuAssignment.demand(), existing.device().slice(), /* existing= */ true);
    } else if (gpuAssignment instanceof GpuAssignment.InsideHeldDevice inside) {
      add(gpu, gpuAssignment.demand(), inside.slice(), /* existing= */ false);
    }
  }

  private void add(Gpu gpu, GpuAssignment.PlannedMigDevice plannedMigDevice, Slice place) {
    OptionalInt compute = plannedMigDevice.demand().instance();
    Optional<Instance> first =
        compute.isPresent() ? Optional.of(new Instance(0, compute.getAsInt())) : Optional.empty();
    add(gpu, plannedMigDevice.demand(), place.with(first), /* existing= */ false);
    for (GpuAssignment.NestedInstance nestedInstance : plannedMigDevice.nested()) {
      add(
          gpu,
          nestedInstance.demand(),
          place.with(Optional.of(nestedInstance.instance())),
          /* existing= */ false);
    }
  }

  private void add(Gpu gpu, RequestCandidates by, Part part, boolean existing) {
    int position = all.get(by.request().uid()).size();
    GrantedPart granted =
        new GrantedPart(
            gpu.uuid(),
            part,
            by.subRequest().sharing(position, gpu.uuid()),
            by.subRequest().kind() instanceof DeviceKind.Share share
                ? share.overcommitPercent()
                : 100,
            existing,
            by.request().inside().map(Parent::uid),
            by.subRequest().name());
    String name = part instanceof Slice slice ? slice.nameOn(gpu.name()) : gpu.name();
    // A GPU without MIG mode is not divided, unlike other devices of the claim.
    boolean divided = part instanceof Slice || gpu.mig().mode() == MigMode.ENABLED;
    all.put(by.request().uid(), new GrantedDevice(name, granted, divided && by.claim().parent()));
  }
}
