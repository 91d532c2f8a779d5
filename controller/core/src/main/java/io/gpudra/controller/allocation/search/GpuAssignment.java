package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.MigLayout.Cut;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.PartHolding;

/** The part of a GPU that is chosen for a demand. */
sealed interface GpuAssignment {

  /** The demand that it serves. */
  RequestCandidates by();

  /** The properties that affect other demands on the same GPU. */
  Object what();

  /** Equal when the claim makes no difference. */
  private static Object whose(RequestCandidates by) {
    return by.claim().parent() ? by.claim().number() : "any claim";
  }

  /** The whole GPU. */
  record Whole(RequestCandidates by) implements GpuAssignment {
    @Override
    public Object what() {
      return whose(by);
    }
  }

  /** A share of its memory. */
  record Share(RequestCandidates by, PartHolding holding) implements GpuAssignment {
    @Override
    public Object what() {
      return ImmutableList.of(by.claim().number(), by.subRequest());
    }
  }

  /**
   * A MIG device that will be made; the search decides its place last.
   *
   * @param carved its compute instances for other claims
   */
  record Made(RequestCandidates by, Cut cut, ImmutableList<Carved> carved)
      implements GpuAssignment {
    @Override
    public Object what() {
      return ImmutableList.of(cut, whose(by), instances());
    }

    private ImmutableList<Instance> instances() {
      return carved.stream().map(Carved::instance).collect(ImmutableList.toImmutableList());
    }

    /** Whether it has room for the compute instance beside the others, on GPUs of the model. */
    boolean hasRoom(GpuModel model, Instance instance) {
      return by.claim().parent()
          && by.instance().isEmpty()
          && instances().stream().map(model::room).noneMatch(model.room(instance)::overlaps);
    }
  }

  /** A compute instance inside a MIG device that will be made. */
  record Carved(RequestCandidates by, Instance instance) {}

  /** A compute instance inside a MIG device that another claim holds. */
  record Inside(RequestCandidates by, Slice slice) implements GpuAssignment {
    @Override
    public Object what() {
      return slice;
    }
  }

  /** An existing MIG device. */
  record Existing(RequestCandidates by, MigState.Device device) implements GpuAssignment {
    @Override
    public Object what() {
      return device.slice();
    }
  }
}
