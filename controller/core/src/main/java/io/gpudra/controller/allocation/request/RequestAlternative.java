package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;

/**
 * One alternative of a claim.
 *
 * @param subRequests at least one sub-request; all are served on one node
 */
public record RequestAlternative(
    ImmutableList<DeviceSubRequest> subRequests, DeviceConstraints deviceConstraints) {

  /** Rejects an empty alternative. */
  public RequestAlternative {
    if (subRequests.isEmpty()) {
      throw new IllegalArgumentException("an alternative without wishes");
    }
  }
}
