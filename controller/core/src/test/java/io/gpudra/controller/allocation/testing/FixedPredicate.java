package io.gpudra.controller.allocation.testing;

import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;

/** A condition with the usual answers: the same for all places and nodes, and without a text. */
public interface FixedPredicate extends DevicePredicate {

  /** Every GPU that the node has. */
  static long all(Inventory inventory) {
    int gpus = inventory.gpus().size();
    return gpus == Long.SIZE ? -1L : (1L << gpus) - 1;
  }

  @Override
  default long matching(Inventory inventory, Part.Slice slice) {
    return matching(inventory);
  }

  @Override
  default boolean differsBetweenPlaces() {
    return false;
  }

  @Override
  default boolean differsBetweenNodes() {
    return false;
  }

  @Override
  default String text() {
    return "";
  }

  /** These GPUs as far as the node has them, whatever they are cut into. */
  record Among(long gpus, String text) implements FixedPredicate {
    public static final Among EVERY = new Among(-1);

    public Among(long gpus) {
      this(gpus, "");
    }

    @Override
    public long matching(Inventory inventory) {
      return gpus & all(inventory);
    }
  }
}
