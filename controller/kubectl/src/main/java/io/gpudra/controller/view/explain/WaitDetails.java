package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.Optional;

/**
 * State of a pod or claim that waits for devices.
 *
 * @param since the time of the request to the driver
 * @param place in the queue; empty before the request
 * @param fitting nodes that fit all claims now
 * @param offered nodes that the scheduler considers; empty before the request, or for any node
 * @param limit the quota that the claims would exceed on any node
 * @param remedy empty if a node fits without a limit, or no node ever will
 */
public record WaitDetails(
    Instant since,
    Optional<Place> place,
    ImmutableSet<String> fitting,
    Optional<ImmutableSet<String>> offered,
    Optional<UnsuitableReason> limit,
    Optional<Help> remedy) {

  /**
   * The place in the queue; freed devices are offered in this order, by priority and age.
   *
   * @param number from 1
   * @param higher the number of those before it that have a higher priority
   */
  public record Place(int number, int of, int higher) {}

  /**
   * Claims whose release would help.
   *
   * @param since the times when these claims were allocated
   * @param evictions pods of lower priority whose eviction is enough; empty if there are none
   */
  public record Help(
      ReleaseRemedy remedy,
      ImmutableMap<ClaimUid, Instant> since,
      ImmutableList<Eviction> evictions) {}

  /**
   * A pod that would have to leave.
   *
   * @param priority {@code spec.priority}
   */
  public record Eviction(PodRef pod, int priority) {}
}
