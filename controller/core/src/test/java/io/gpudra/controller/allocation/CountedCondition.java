package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.crds.model.node.Inventory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Every GPU will do; counts how often it is asked.
 *
 * @param number those with another one are other conditions
 */
record CountedCondition(int number, boolean differsBetweenNodes, AtomicInteger judgements)
    implements FixedPredicate {

  @Override
  public long matching(Inventory inventory) {
    judgements.incrementAndGet();
    return FixedPredicate.all(inventory);
  }
}
