package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.PartHolding;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The grants that the server shows, at every moment; together they never take more of a GPU than it
 * has. With it what protocol.md 2.4 says of a claim by itself.
 */
final class Grants {

  /** A claim and its grant. */
  record Entry(ClaimFacts claim, Grant grant) {

    /** UUIDs of the GPUs that it has something of. */
    ImmutableSet<String> gpus() {
      return grant.devices().stream()
          .map(GrantedDevice::uuid)
          .collect(ImmutableSet.toImmutableSet());
    }

    /** What containers get of it. */
    ImmutableSet<String> devices() {
      return grant.devices().stream()
          .filter(device -> !device.parent())
          .map(device -> Hardware.name(device.part()))
          .collect(ImmutableSet.toImmutableSet());
    }

    Stream<PartHolding> holdings() {
      return grant.devices().stream().map(device -> new PartHolding(claim.uid(), device.part()));
    }

    Stream<PartHolding> holdings(Gpu gpu) {
      return holdings().filter(holding -> holding.part().gpuUuid().equals(gpu.uuid()));
    }
  }

  private final World world;
  private final Map<ClaimUid, Entry> entries = new LinkedHashMap<>();
  private boolean doubled;

  Grants(World world) {
    this.world = world;
    world.api().follow(Resource.CLAIMS, this::changed);
  }

  /** Names of what a node holds for a claim. */
  static List<String> names(PreparedClaim claim) {
    return claim.parts().stream().map(Hardware::name).toList();
  }

  static ImmutableList<PartHolding> holdingsOf(List<PreparedClaim> prepared, Gpu gpu) {
    return prepared.stream()
        .flatMap(claim -> claim.parts().stream().map(part -> new PartHolding(claim.uid(), part)))
        .filter(holding -> holding.part().gpuUuid().equals(gpu.uuid()))
        .collect(ImmutableList.toImmutableList());
  }

  private void changed(WatchEvent event) {
    ClaimFacts claim = Facts.claim(event.object());
    Optional<Grant> grant = event.type().equals("DELETED") ? Optional.empty() : grant(claim);
    if (grant.isEmpty()) {
      mustHaveBeenIdle(claim, Optional.ofNullable(entries.remove(claim.uid())));
      return;
    }
    if (!claim.hasFinalizer()) {
      world.broken(claim.ref() + " has a grant and not our finalizer (I1)");
    }
    Entry entry = new Entry(claim, grant.get());
    if (entries.put(claim.uid(), entry) == null) {
      mustFit(entry);
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
        .map(decoded -> ((DecodedHandle.Decoded) decoded).grant());
  }

  /** With what else is granted of its GPUs. */
  private void mustFit(Entry entry) {
    for (Gpu gpu : world.machine(entry.grant().node()).gpus()) {
      if (entry.gpus().contains(gpu.uuid())) {
        Division.problem(gpu, granted(gpu)).ifPresent(problem -> tooMuch(entry, problem));
      }
    }
  }

  private ImmutableList<PartHolding> granted(Gpu gpu) {
    return entries.values().stream()
        .flatMap(entry -> entry.holdings(gpu))
        .collect(ImmutableList.toImmutableList());
  }

  private void tooMuch(Entry last, String problem) {
    doubled = true;
    String what =
        "too much of %s is granted with %s (%s): %s"
            .formatted(last.grant().node(), last.claim().ref(), last.claim().uid(), problem);
    if (world.clocksStop()) {
      world.say("%s: a clock stood still", what);
    } else {
      world.broken(what);
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
