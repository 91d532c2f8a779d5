package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Every GPU will do; counts how often it is asked.
 *
 * @param number those with another one are other conditions
 */
record CountedCondition(int number, boolean tellsNodesApart, AtomicInteger judgements)
    implements DevicePredicate {

  @Override
  public boolean tellsPlacesApart() {
    return false;
  }

  @Override
  public long matching(Inventory inventory) {
    judgements.incrementAndGet();
    return new Samples.Mask(Samples.EVERY, "").matching(inventory);
  }

  @Override
  public long matching(Inventory inventory, Part.Slice slice) {
    return matching(inventory);
  }

  @Override
  public String text() {
    return "";
  }
}
