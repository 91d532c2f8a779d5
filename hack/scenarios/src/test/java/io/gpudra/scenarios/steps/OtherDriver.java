package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.DraPlugin;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A driver beside ours that never fails: its controller, for Immediate claims only, and its plugin.
 *
 * @param names by which kubelets know claims that it has prepared
 */
record OtherDriver(World world, Set<String> names) implements DraPlugin {
  static final String NAME = "net.resource.example.com";

  private static final ClaimEdits EDITS = new ClaimEdits(NAME);

  /** Allocates or releases one claim; false when there is none. */
  boolean act() {
    for (ObjectNode claim : world.api().list(Resource.CLAIMS)) {
      if (isOfItsClass(claim) && wanted(Facts.claim(claim))) {
        allocate(claim);
        return true;
      }
      if (isItsOwn(claim) && unwanted(Facts.claim(claim))) {
        release(claim);
        return true;
      }
    }
    return false;
  }

  private boolean isOfItsClass(ObjectNode claim) {
    return world
        .driverOf(Json.text(claim, "spec.resourceClassName"))
        .filter(NAME::equals)
        .isPresent();
  }

  private static boolean wanted(ClaimFacts claim) {
    return claim.mode() == ClaimFacts.Mode.IMMEDIATE
        && claim.allocation().isEmpty()
        && !claim.ending();
  }

  private static boolean isItsOwn(ObjectNode claim) {
    return Json.text(claim, "status.driverName").equals(NAME);
  }

  private static boolean unwanted(ClaimFacts claim) {
    return claim.ending() && claim.reservedFor().isEmpty();
  }

  private void allocate(ObjectNode claim) {
    world.say("another driver allocates %s", Meta.key(claim));
    EDITS.addFinalizer(claim);
    ObjectNode withFinalizer = world.api().update(Resource.CLAIMS, claim);
    EDITS.allocate(
        withFinalizer, new ResourceHandle("of another", Optional.empty(), true), Optional.empty());
    world.api().updateStatus(Resource.CLAIMS, withFinalizer);
  }

  private void release(ObjectNode claim) {
    world.say("another driver releases %s", Meta.key(claim));
    EDITS.deallocate(claim, /* keepDriverName= */ false);
    ObjectNode deallocated = world.api().updateStatus(Resource.CLAIMS, claim);
    EDITS.removeFinalizer(deallocated);
    world.api().update(Resource.CLAIMS, deallocated);
  }

  @Override
  public Reply prepare(List<ClaimCall> claims) {
    claims.forEach(claim -> names.add(name(claim)));
    return done(claims);
  }

  @Override
  public Reply unprepare(List<ClaimCall> claims) {
    claims.forEach(claim -> names.remove(name(claim)));
    return done(claims);
  }

  private static String name(ClaimCall claim) {
    return new ClaimRef(claim.namespace(), claim.name()).kubeletKey();
  }

  private static Reply done(List<ClaimCall> claims) {
    return Reply.of(
        claims.stream()
            .collect(
                ImmutableMap.toImmutableMap(
                    ClaimCall::uid, claim -> new ClaimAnswer(List.of(), ""))));
  }
}
