package io.gpudra.controller.allocation.search;

import io.gpudra.crds.model.MigState;
import io.gpudra.crds.usage.Holding;

/** What of a GPU is chosen for a demand. */
sealed interface Pick {

  /** Whom it serves. */
  Demand by();

  /** What of it matters to whoever wants something of the same GPU. */
  Object what();

  /** All of it. */
  record Whole(Demand by) implements Pick {
    @Override
    public Object what() {
      return "all";
    }
  }

  /** Some of its memory. */
  record Share(Demand by, Holding holding) implements Pick {
    @Override
    public Object what() {
      return new Seen(by.claim(), by.wish());
    }

    private record Seen(int claim, Object wish) {}
  }

  /** A MIG device that will be made, wherever there is room in the end. */
  record Made(Demand by, Cut cut) implements Pick {
    @Override
    public Object what() {
      return cut;
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
