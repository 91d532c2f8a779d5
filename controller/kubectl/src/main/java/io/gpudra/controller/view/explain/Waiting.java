package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.view.whatif.Remedy;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/**
 * How something waits for devices.
 *
 * @param since when the driver was asked for them
 * @param place among those who wait; absent before the driver was asked
 * @param fitting nodes that would do for all claims now
 * @param offered nodes that the scheduler considers; absent when nobody has asked, or any will do
 * @param remedy absent when a node fits, or none ever will
 */
public record Waiting(
    Instant since,
    Optional<Place> place,
    ImmutableSet<String> fitting,
    Optional<ImmutableSet<String>> offered,
    Optional<Help> remedy) {

  /**
   * In the order in which freed devices are offered: the oldest first.
   *
   * @param number from 1
   */
  public record Place(int number, int of) {}

  /**
   * What would help.
   *
   * @param since when those who would have to let go were granted their devices
   */
  public record Help(Remedy remedy, ImmutableMap<ClaimUid, Instant> since) {}
}
