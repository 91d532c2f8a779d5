package io.gpudra.controller.allocation.ledger;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The devices that one claim holds on one node. Both grants are equal unless another client wrote
 * the claim in between; then both count until the owner settles.
 *
 * @param inApi the grant that the API shows
 * @param inFlight the grant that its owner is writing, which may still land: only the owner ends it
 */
public record Hold(ClaimRef ref, Optional<Grant> inApi, Optional<InFlight> inFlight) {

  /**
   * A grant that is being written.
   *
   * @param seen whether the API has shown this grant since, so that its present state is newer than
   *     the write
   */
  public record InFlight(Grant grant, HoldOwner owner, boolean seen) {}

  static Hold committed(ClaimRef ref, Grant grant, HoldOwner owner) {
    return new Hold(ref, Optional.empty(), Optional.of(new InFlight(grant, owner, false)));
  }

  /** The devices that the claim holds; a device may occur twice. */
  public Stream<GrantedDevice> devices() {
    return grants().flatMap(grant -> grant.devices().stream());
  }

  private Stream<Grant> grants() {
    return Stream.concat(inApi.stream(), inFlight.stream().map(InFlight::grant));
  }

  /** Whether the claim holds this device. */
  public boolean names(String deviceUuid) {
    return devices().anyMatch(device -> device.uuid().equals(deviceUuid));
  }

  boolean hasDevices() {
    return devices().findAny().isPresent();
  }

  boolean isEmpty() {
    return inApi.isEmpty() && inFlight.isEmpty();
  }

  /** Whether this owner is writing the grant. */
  public boolean inFlightBy(HoldOwner owner) {
    return inFlight.filter(write -> write.owner().equals(owner)).isPresent();
  }

  Hold observed(ClaimRef seenAs, Optional<Grant> grant) {
    return new Hold(seenAs, grant, inFlight.map(write -> observed(write, grant)));
  }

  private static InFlight observed(InFlight write, Optional<Grant> grant) {
    boolean seen = write.seen() || grant.filter(write.grant()::equals).isPresent();
    return new InFlight(write.grant(), write.owner(), seen);
  }

  /** After the write: the API shows the grant, unless it has been shown and removed since. */
  Hold settled() {
    Optional<Grant> written = inFlight.filter(write -> !write.seen()).map(InFlight::grant);
    return new Hold(ref, written.or(() -> inApi), Optional.empty());
  }

  /**
   * Without the grant that this owner may release: the one in flight, or else the one in the API.
   * While the owner gives up a write, a different grant in the API comes from another client.
   */
  Hold released(HoldOwner owner) {
    return inFlightBy(owner)
        ? new Hold(ref, inApi.filter(this::isForeign), Optional.empty())
        : new Hold(ref, Optional.empty(), inFlight);
  }

  private boolean isForeign(Grant grant) {
    return inFlight.filter(write -> write.grant().equals(grant)).isEmpty();
  }
}
