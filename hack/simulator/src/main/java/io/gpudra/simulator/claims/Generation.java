package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Events;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Makes the claims that pods ask for by template (protocol.md 1.6). */
record Generation(Api api, Profile profile, Random random, Events events) {
  private static final String ENTRY_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
  private static final int LONGEST_PREFIX = 57;

  void sync(Pod pod) {
    Map<String, String> made = new TreeMap<>();
    for (Pod.ClaimEntry entry : pod.claims(profile)) {
      if (entry.generated() && entry.binding() != Pod.Binding.NOT_NEEDED && !exists(pod, entry)) {
        made.put(entry.entry(), ensure(pod, entry));
      }
    }
    if (!made.isEmpty() && profile != Profile.V1_27) {
      new Edits(api, Resource.PODS).status(pod.json(), live -> record(live, made));
    }
  }

  private boolean exists(Pod pod, Pod.ClaimEntry entry) {
    if (entry.binding() != Pod.Binding.NAMED) {
      return false;
    }
    Optional<ObjectNode> claim = api.get(Resource.CLAIMS, pod.namespace(), entry.claim());
    boolean own = claim.isPresent() && Meta.controlledBy(claim.get(), pod.uid());
    if (profile == Profile.V1_27 && claim.isPresent() && !own) {
      String text = "resource claim %s already exists and is not owned by the pod";
      throw refuse(pod, entry, error(409, text.formatted(entry.claim())));
    }
    return own;
  }

  /** The name of the claim; finds the one whose name could not be recorded the last time. */
  private String ensure(Pod pod, Pod.ClaimEntry entry) {
    for (ObjectNode claim : api.list(Resource.CLAIMS)) {
      JsonNode of = Json.at(claim, "metadata.annotations").path(ENTRY_ANNOTATION);
      if (Meta.controlledBy(claim, pod.uid())
          && of.asText().equals(entry.entry())
          && !Meta.deleting(claim)) {
        return Meta.name(claim);
      }
    }
    ObjectNode template =
        api.get(Resource.CLAIM_TEMPLATES, pod.namespace(), entry.template())
            .orElseThrow(() -> refuse(pod, entry, missing(entry.template())));
    try {
      return Meta.name(api.create(Resource.CLAIMS, claim(pod, entry, template)));
    } catch (ApiError e) {
      throw refuse(pod, entry, e);
    }
  }

  private ApiError refuse(Pod pod, Pod.ClaimEntry entry, ApiError cause) {
    String text = "PodResourceClaim " + entry.entry() + ": " + cause.getMessage();
    events.warning(pod, "FailedResourceClaimCreation", text);
    return cause;
  }

  private static ApiError missing(String template) {
    String text =
        "resource claim template \"%s\": resourceclaimtemplate.resource.k8s.io \"%s\" not found";
    return error(404, text.formatted(template, template));
  }

  private static ApiError error(int code, String message) {
    return new ApiError(code, Json.object("kind", "Status", "message", message));
  }

  private ObjectNode claim(Pod pod, Pod.ClaimEntry entry, ObjectNode template) {
    boolean named = profile == Profile.V1_27;
    ObjectNode metadata =
        pod.named(
            named
                ? entry.claim()
                : prefix(pod.name(), entry.entry()) + Naming.randomSuffix(random));
    for (String field : List.of("labels", "annotations")) {
      Json.put(metadata, field, Json.at(template, "spec.metadata." + field).deepCopy());
    }
    if (!named) {
      metadata.withObjectProperty("annotations").put(ENTRY_ANNOTATION, entry.entry());
    }
    pod.own(metadata);
    return Json.object("metadata", metadata, "spec", Json.at(template, "spec.spec").deepCopy());
  }

  /** Parts that are too long for 57 characters lose in proportion, and the last hyphen with it. */
  private static String prefix(String pod, String entry) {
    String prefix = pod + "-" + entry + "-";
    if (prefix.length() <= LONGEST_PREFIX) {
      return prefix;
    }
    int room = LONGEST_PREFIX - 2;
    int ofPod = pod.length() * room / (pod.length() + entry.length());
    return pod.substring(0, Math.min(ofPod, pod.length()))
        + "-"
        + entry.substring(0, Math.min(room - ofPod, entry.length()));
  }

  private static boolean record(ObjectNode pod, Map<String, String> made) {
    ArrayNode statuses =
        pod.withObjectProperty("status").withArrayProperty("resourceClaimStatuses");
    made.forEach(
        (entry, claim) ->
            Json.replace(statuses, "name", Json.object("name", entry, "resourceClaimName", claim)));
    return true;
  }
}
