package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;

/**
 * One alternative of a claim.
 *
 * @param wishes at least one; all are served, on one node
 */
public record Alternative(ImmutableList<Wish> wishes, Together together) {

  /** Rejects an empty alternative. */
  public Alternative {
    if (wishes.isEmpty()) {
      throw new IllegalArgumentException("an alternative without wishes");
    }
  }
}
