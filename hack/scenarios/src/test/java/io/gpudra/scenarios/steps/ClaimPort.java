package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The claims over a stale cache and conditional PUTs of whole objects. */
final class ClaimPort implements ClaimStore {
  private static final ClaimEdits EDITS = new ClaimEdits(Facts.DRIVER);

  private final Controller process;
  private final World world;
  private final ClaimCache cache;
  private final Wire wire;

  ClaimPort(Controller process, World world, ClaimCache cache) {
    this.process = process;
    this.world = world;
    this.cache = cache;
    this.wire = new Wire(process, world);
  }

  @Override
  public Optional<ClaimFacts> get(ClaimRef claim) {
    return cache.newest(claim).map(Seen::facts);
  }

  @Override
  public Optional<ClaimFacts> live(ClaimRef claim) throws ApiUnavailableException {
    process.awaitRead("claim " + claim);
    Optional<Seen> found =
        world.api().get(Resource.CLAIMS, claim.namespace(), claim.name()).map(Seen::of);
    found.ifPresent(cache::answer);
    return found.map(Seen::facts);
  }

  @Override
  public ImmutableList<ClaimFacts> liveList() throws ApiUnavailableException {
    process.awaitRead("all claims");
    ImmutableList<Seen> found = world.claims();
    found.forEach(cache::answer);
    world.fates().during(process);
    process.mustLive();
    return found.stream().map(Seen::facts).collect(ImmutableList.toImmutableList());
  }

  @Override
  public ImmutableList<ClaimRef> ofClass(String className) {
    return refs(claim -> claim.className().equals(className));
  }

  @Override
  public ImmutableList<ClaimRef> ofParameters(ParametersRef parameters) {
    return refs(claim -> claim.parameters().filter(parameters::equals).isPresent());
  }

  private ImmutableList<ClaimRef> refs(Predicate<ClaimFacts> wanted) {
    return cache.all().stream()
        .map(Seen::facts)
        .filter(wanted)
        .map(ClaimFacts::ref)
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public Optional<PodRef> ownerPod(ClaimFacts claim) {
    return cache.newest(claim.ref()).stream()
        .flatMap(seen -> Streams.stream(Json.at(seen.object(), "metadata.ownerReferences")))
        .filter(owner -> owner.path("controller").asBoolean())
        .map(owner -> pod(claim.ref(), owner))
        .findFirst();
  }

  private static PodRef pod(ClaimRef claim, JsonNode owner) {
    return new PodRef(claim.namespace(), Json.text(owner, "name"), Json.text(owner, "uid"));
  }

  @Override
  public WriteOutcome addFinalizer(ClaimFacts seen) {
    return write(
        seen,
        "adds the finalizer to",
        new Change(/* ofStatus= */ false, ClaimFacts::hasFinalizer, EDITS::addFinalizer));
  }

  @Override
  public WriteOutcome removeFinalizer(ClaimFacts seen) {
    return write(
        seen,
        "removes the finalizer from",
        new Change(/* ofStatus= */ false, now -> !now.hasFinalizer(), EDITS::removeFinalizer));
  }

  @Override
  public WriteOutcome allocate(
      ClaimFacts seen, ResourceHandle handle, Optional<PodRef> reserveFor) {
    mustBeHeld(seen, handle);
    return write(
        seen,
        "allocates",
        new Change(
            /* ofStatus= */ true,
            now -> carries(now, handle) && reserved(now, reserveFor),
            claim -> EDITS.allocate(claim, handle, reserveFor)));
  }

  @Override
  public WriteOutcome deallocate(ClaimFacts seen, boolean keepDriverName) {
    return write(
        seen,
        "deallocates",
        new Change(
            /* ofStatus= */ true,
            now -> now.allocation().isEmpty() && !now.deallocationRequested(),
            claim -> deallocate(claim, keepDriverName)));
  }

  @Override
  public WriteOutcome requestDeallocation(ClaimFacts seen) {
    return write(
        seen,
        "requests the deallocation of",
        new Change(
            /* ofStatus= */ true,
            now -> now.allocation().isEmpty() || now.deallocationRequested(),
            EDITS::requestDeallocation));
  }

  private void deallocate(ObjectNode claim, boolean keepDriverName) {
    if (claim.at("/status/allocation").isObject()
        && !Json.text(claim, "status.driverName").equals(Facts.DRIVER)) {
      world.broken(
          "%s takes %s from another driver (I7)".formatted(process.name(), Meta.key(claim)));
    }
    EDITS.deallocate(claim, keepDriverName);
  }

  private void mustBeHeld(ClaimFacts claim, ResourceHandle handle) {
    boolean held =
        HandleCodec.decode(handle.data()) instanceof DecodedHandle.Decoded withGrant
            && process.ledgers().snapshot().stream()
                .flatMap(ledger -> Optional.ofNullable(ledger.holds().get(claim.uid())).stream())
                .flatMap(hold -> hold.inFlight().stream())
                .anyMatch(write -> write.grant().equals(withGrant.grant()));
    if (!held) {
      world.broken("what is written of %s is not what is held for it (I6)".formatted(claim.ref()));
    }
  }

  private record Change(
      boolean ofStatus, Predicate<ClaimFacts> alreadySo, Consumer<ObjectNode> edit) {}

  private WriteOutcome write(ClaimFacts seen, String verb, Change change) {
    process.mustLive();
    Optional<Seen> newest = cache.newest(seen.ref());
    Optional<WriteOutcome> known =
        WriteOutcome.withoutCall(seen, newest.map(Seen::facts), change.alreadySo());
    if (known.isPresent()) {
      return known.get();
    }
    if (change.ofStatus() && !process.mayWrite()) {
      return WriteOutcome.of(Kind.UNCLEAR);
    }
    ObjectNode body = newest.get().object().deepCopy();
    change.edit().accept(body);
    Wire.Answer answer =
        wire.send(
            verb + " " + seen.ref(),
            () ->
                change.ofStatus()
                    ? world.api().updateStatus(Resource.CLAIMS, body)
                    : world.api().update(Resource.CLAIMS, body));
    return answer.object().map(this::stored).orElseGet(() -> WriteOutcome.of(answer.kind()));
  }

  private WriteOutcome stored(ObjectNode object) {
    Seen now = Seen.of(object);
    if (Meta.deleting(object) && Json.at(object, "metadata.finalizers").isEmpty()) {
      cache.removed(now);
      process.breathe();
      return WriteOutcome.of(Kind.DONE);
    }
    cache.answer(now);
    process.breathe();
    return WriteOutcome.done(now.facts());
  }

  private static boolean carries(ClaimFacts now, ResourceHandle handle) {
    return now.allocation().flatMap(ClaimFacts.Granted::ours).filter(handle::equals).isPresent();
  }

  private static boolean reserved(ClaimFacts now, Optional<PodRef> pod) {
    return pod.map(p -> now.reservedFor().contains(p.uid())).orElse(true);
  }
}
