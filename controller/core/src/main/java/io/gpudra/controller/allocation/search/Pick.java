package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Layout.Cut;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.Holding;

/** What of a GPU is chosen for a demand. */
sealed interface Pick {

  /** Whom it serves. */
  Demand by();

  /** What of it matters to whoever wants something of the same GPU. */
  Object what();

  /** Equal where it makes no difference whose it is. */
  private static Object whose(Demand by) {
    return by.claim().parent() ? by.claim().number() : "anybody";
  }

  /** All of it. */
  record Whole(Demand by) implements Pick {
    @Override
    public Object what() {
      return whose(by);
    }
  }

  /** Some of its memory. */
  record Share(Demand by, Holding holding) implements Pick {
    @Override
    public Object what() {
      return ImmutableList.of(by.claim().number(), by.wish());
    }
  }

  /**
   * A MIG device that will be made, wherever there is room in the end.
   *
   * @param carved compute instances that other claims have of it
   */
  record Made(Demand by, Cut cut, ImmutableList<Carved> carved) implements Pick {
    @Override
    public Object what() {
      return ImmutableList.of(cut, whose(by), instances());
    }

    private ImmutableList<Instance> instances() {
      return carved.stream().map(Carved::instance).collect(ImmutableList.toImmutableList());
    }

    /** Whether the compute instance can be made of it beside the others, on GPUs of the model. */
    boolean hasRoom(GpuModel model, Instance instance) {
      return by.claim().parent()
          && by.instance().isEmpty()
          && instances().stream().map(model::room).noneMatch(model.room(instance)::overlaps);
    }
  }

  /** A compute instance of a MIG device that will be made. */
  record Carved(Demand by, Instance instance) {}

  /** A compute instance of a MIG device that another claim holds. */
  record Inside(Demand by, Slice slice) implements Pick {
    @Override
    public Object what() {
      return slice;
    }
  }

  /** A MIG device that is there. */
  record Existing(Demand by, MigState.Device device) implements Pick {
    @Override
    public Object what() {
      return device.slice();
    }
  }
}
