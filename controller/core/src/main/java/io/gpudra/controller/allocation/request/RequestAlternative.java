package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;

/**
 * One alternative of a claim.
 *
 * @param wishes at least one sub-request; all are served on one node
 */
public record RequestAlternative(
    ImmutableList<DeviceSubRequest> wishes, DeviceConstraints deviceConstraints) {

  /** Rejects an empty alternative. */
  public RequestAlternative {
    if (wishes.isEmpty()) {
      throw new IllegalArgumentException("an alternative without wishes");
    }
  }
}
