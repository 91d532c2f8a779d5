package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;

/**
 * One way to serve a claim.
 *
 * @param wishes at least one; all of them, on one node
 */
public record Alternative(ImmutableList<Wish> wishes, Together together) {

  /** Refuses one that asks for nothing. */
  public Alternative {
    if (wishes.isEmpty()) {
      throw new IllegalArgumentException("an alternative without wishes");
    }
  }
}
