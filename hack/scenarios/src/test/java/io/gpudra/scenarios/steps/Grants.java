package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFacts;
import io.gpudra.controller.dra.ClaimFacts.Granted;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The grants that the server shows, at every moment; no device may be in two of them. With it what
 * protocol 2.15 says of a claim by itself.
 */
final class Grants {

  /** A claim and its grant. */
  record Entry(ClaimFacts claim, Grant grant) {
    ImmutableSet<String> devices() {
      return uuids(grant);
    }
  }

  private final World world;
  private final Map<ClaimUid, Entry> entries = new LinkedHashMap<>();
  private boolean doubled;

  Grants(World world) {
    this.world = world;
    world.api().follow(Resource.CLAIMS, this::changed);
  }

  static ImmutableSet<String> uuids(Grant grant) {
    return grant.devices().stream().map(GrantedDevice::uuid).collect(ImmutableSet.toImmutableSet());
  }

  private void changed(WatchEvent event) {
    ClaimFacts claim = Facts.claim(event.object());
    Optional<Grant> grant = event.type().equals("DELETED") ? Optional.empty() : grant(claim);
    if (grant.isEmpty()) {
      mustHaveBeenIdle(claim, Optional.ofNullable(entries.remove(claim.uid())));
      return;
    }
    if (!claim.guarded()) {
      world.broken(claim.ref() + " has a grant and not our finalizer (I1)");
    }
    Entry entry = new Entry(claim, grant.get());
    if (entries.put(claim.uid(), entry) == null) {
      entries.values().forEach(other -> mustNotShare(entry, other));
    }
  }

  private void mustHaveBeenIdle(ClaimFacts now, Optional<Entry> before) {
    if (before.isPresent() && !before.get().claim().reservedFor().isEmpty()) {
      world.broken(now.ref() + " loses its grant while it is reserved (I4)");
    }
    if (!now.reservedFor().isEmpty() && now.allocation().isEmpty()) {
      world.broken(now.ref() + " is reserved and has no grant (I3)");
    }
  }

  static Optional<Grant> grant(ClaimFacts claim) {
    return claim
        .allocation()
        .flatMap(Granted::ours)
        .map(ours -> HandleCodec.decode(ours.data()))
        .map(decoded -> ((DecodedHandle.Understood) decoded).grant());
  }

  private void mustNotShare(Entry one, Entry other) {
    boolean share = one.devices().stream().anyMatch(other.devices()::contains);
    if (share && !one.claim().uid().equals(other.claim().uid())) {
      doubled = true;
      String what =
          "%s of %s is granted to %s (%s) and to %s (%s)"
              .formatted(
                  one.grant().devices(),
                  one.grant().node(),
                  one.claim().ref(),
                  one.claim().uid(),
                  other.claim().ref(),
                  other.claim().uid());
      if (world.clocksStop()) {
        world.say("%s: a clock stood still", what);
      } else {
        world.broken(what);
      }
    }
  }

  /** Whether a device was granted twice, which only a clock that stands still may bring about. */
  boolean doubled() {
    return doubled;
  }

  Iterable<Entry> all() {
    return entries.values();
  }

  Optional<Entry> of(ClaimUid claim) {
    return Optional.ofNullable(entries.get(claim));
  }

  Optional<Entry> of(ClaimRef claim) {
    return entries.values().stream().filter(entry -> entry.claim().ref().equals(claim)).findFirst();
  }
}
