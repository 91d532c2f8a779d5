package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;

/** Drops reservations of pods that need them no more, and what follows from that. */
final class Consumers {
  private final Api api;
  private final Profile profile;

  Consumers(Api api, Profile profile) {
    this.api = api;
    this.profile = profile;
  }

  /** A consumer that is not a pod stops all work on the claim. */
  void sync(Claim seen) {
    ArrayNode valid = seen.json().arrayNode();
    for (JsonNode consumer : seen.reservedFor()) {
      if (!consumer.path("apiGroup").asText().isEmpty()
          || !consumer.path("resource").asText().equals("pods")) {
        return;
      }
      if (stays(seen.namespace(), consumer)) {
        valid.add(consumer);
      }
    }
    if (valid.size() < seen.reservedFor().size()) {
      drop(seen, valid);
    }
    if (valid.isEmpty() && profile != Profile.V1_27) {
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

  private void drop(Claim seen, ArrayNode valid) {
    Claim copy = new Claim(seen.json().deepCopy());
    copy.reservedFor(valid);
    if (valid.isEmpty() && copy.delayed() && profile != Profile.V1_27) {
      copy.requestDeallocation();
    }
    api.updateStatus(Resource.CLAIMS, copy.json());
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
