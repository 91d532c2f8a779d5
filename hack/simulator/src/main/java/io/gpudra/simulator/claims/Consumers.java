package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;

/** Drops reservations of pods that need them no more, and what follows from that. */
record Consumers(Api api, Profile profile) {

  /** A consumer that is not a pod stops all work on the claim. */
  void sync(Claim seen) {
    Claim next = seen.copy();
    for (JsonNode consumer : seen.reservedFor()) {
      if (!consumer.path("apiGroup").asText().isEmpty()
          || !consumer.path("resource").asText().equals("pods")) {
        return;
      }
      if (!stays(seen.namespace(), consumer)) {
        next.unreserve(consumer.path("uid").asText());
      }
    }
    boolean unused = next.reservedFor().isEmpty();
    if (next.reservedFor().size() < seen.reservedFor().size()) {
      if (unused && next.delayed() && profile != Profile.V1_27) {
        next.requestDeallocation();
      }
      api.updateStatus(Resource.CLAIMS, next.json());
    }
    if (unused && profile != Profile.V1_27) {
      deleteGenerated(seen);
    }
  }

  private boolean stays(String namespace, JsonNode consumer) {
    Optional<Pod> pod =
        api.get(Resource.PODS, namespace, consumer.path("name").asText()).map(Pod::new);
    if (pod.isEmpty() || !pod.get().uid().equals(consumer.path("uid").asText())) {
      return false;
    }
    return profile == Profile.V1_27 || !pod.get().done();
  }

  private void deleteGenerated(Claim claim) {
    JsonNode owner = Meta.controller(claim.json());
    if (claim.deleting() || !owner.path("kind").asText().equals("Pod")) {
      return;
    }
    // A pod that is gone, or not seen yet, is the business of the garbage collector.
    Optional<Pod> pod =
        api.get(Resource.PODS, claim.namespace(), owner.path("name").asText()).map(Pod::new);
    if (pod.isPresent()
        && (!pod.get().uid().equals(owner.path("uid").asText()) || pod.get().done())) {
      api.delete(Resource.CLAIMS, claim.namespace(), claim.name(), Optional.empty());
    }
  }
}
