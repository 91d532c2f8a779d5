package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.PartHolding;

/** The part of a GPU that is chosen for a demand. */
sealed interface GpuAssignment {

  /** The demand that it serves. */
  RequestCandidates demand();

  /** The properties that affect other demands on the same GPU. */
  Object signature();

  /** Equal when the claim makes no difference. */
  private static Object whose(RequestCandidates by) {
    return by.claim().parent() ? by.claim().number() : "any claim";
  }

  /** The whole GPU. */
  record Whole(RequestCandidates demand) implements GpuAssignment {
    @Override
    public Object signature() {
      return whose(demand);
    }
  }

  /** A share of its memory. */
  record Share(RequestCandidates demand, PartHolding holding) implements GpuAssignment {
    @Override
    public Object signature() {
      return ImmutableList.of(demand.claim().number(), demand.subRequest());
    }
  }

  /**
   * A MIG device that will be made; the search decides its place last.
   *
   * @param nested its compute instances for other claims
   */
  record PlannedMigDevice(RequestCandidates demand, Cut cut, ImmutableList<NestedInstance> nested)
      implements GpuAssignment {
    @Override
    public Object signature() {
      return ImmutableList.of(cut, whose(demand), instances());
    }

    private ImmutableList<Instance> instances() {
      return nested.stream().map(NestedInstance::instance).collect(ImmutableList.toImmutableList());
    }

    /** Whether it has room for the compute instance beside the others, on GPUs of the model. */
    boolean hasRoom(GpuModel model, Instance instance) {
      return demand.claim().parent()
          && demand.instance().isEmpty()
          && instances().stream().map(model::room).noneMatch(model.room(instance)::overlaps);
    }
  }

  /** A compute instance inside a MIG device that will be made. */
  record NestedInstance(RequestCandidates demand, Instance instance) {}

  /** A compute instance inside a MIG device that another claim holds. */
  record InsideHeldDevice(RequestCandidates demand, Slice slice) implements GpuAssignment {
    @Override
    public Object signature() {
      return slice;
    }
  }

  /** An existing MIG device. */
  record ExistingMigDevice(RequestCandidates demand, MigState.Device device)
      implements GpuAssignment {
    @Override
    public Object signature() {
      return device.slice();
    }
  }
}
