package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Events;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Makes the claims that pods ask for by template (protocol 1.6). */
final class Generation {
  static final String ENTRY_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
  private static final String SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX_LENGTH = 5;
  private static final int LONGEST_PREFIX = 57;

  private final Api api;
  private final Profile profile;
  private final Random random;
  private final Events events;

  Generation(Api api, Profile profile, Random random, Events events) {
    this.api = api;
    this.profile = profile;
    this.random = random;
    this.events = events;
  }

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
    if (profile == Profile.V1_27
        && claim.isPresent()
        && !Meta.controlledBy(claim.get(), pod.uid())) {
      throw refuse(
          pod,
          entry,
          new ApiError(
              409,
              status(
                  "resource claim %s already exists and is not owned by the pod"
                      .formatted(entry.claim()))));
    }
    return claim.isPresent() && Meta.controlledBy(claim.get(), pod.uid());
  }

  /** The name of the claim; finds the one whose name could not be recorded the last time. */
  private String ensure(Pod pod, Pod.ClaimEntry entry) {
    for (ObjectNode claim : api.list(Resource.CLAIMS)) {
      String of = claim.path("metadata").path("annotations").path(ENTRY_ANNOTATION).asText();
      if (Meta.controlledBy(claim, pod.uid())
          && of.equals(entry.entry())
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
    String message = cause.status().path("message").asText();
    events.warning(
        pod,
        "FailedResourceClaimCreation",
        "PodResourceClaim %s: %s".formatted(entry.entry(), message));
    return cause;
  }

  private static ApiError missing(String template) {
    String text =
        "resource claim template \"%s\": resourceclaimtemplate.resource.k8s.io \"%s\" not found";
    return new ApiError(404, status(text.formatted(template, template)));
  }

  private static ObjectNode status(String message) {
    return JsonNodeFactory.instance.objectNode().put("kind", "Status").put("message", message);
  }

  private ObjectNode claim(Pod pod, Pod.ClaimEntry entry, ObjectNode template) {
    ObjectNode claim = pod.json().objectNode();
    claim.put("apiVersion", "resource.k8s.io/v1alpha2").put("kind", "ResourceClaim");
    ObjectNode metadata = claim.putObject("metadata");
    JsonNode copied = template.path("spec").path("metadata");
    for (String field : new String[] {"labels", "annotations"}) {
      if (copied.hasNonNull(field)) {
        metadata.set(field, copied.get(field).deepCopy());
      }
    }
    metadata.put("namespace", pod.namespace());
    if (profile == Profile.V1_27) {
      metadata.put("name", entry.claim());
    } else {
      metadata.put("name", prefix(pod.name(), entry.entry()) + suffix());
      metadata.withObject("/annotations").put(ENTRY_ANNOTATION, entry.entry());
    }
    metadata.putArray("ownerReferences").add(owner(pod));
    claim.set("spec", template.path("spec").path("spec").deepCopy());
    return claim;
  }

  /** The controller reference of what is made for a pod. */
  static ObjectNode owner(Pod pod) {
    return pod.json()
        .objectNode()
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", pod.name())
        .put("uid", pod.uid())
        .put("controller", true)
        .put("blockOwnerDeletion", true);
  }

  /** Parts that are too long for 57 characters lose in proportion, and the last hyphen with it. */
  static String prefix(String pod, String entry) {
    String prefix = pod + "-" + entry + "-";
    if (prefix.length() <= LONGEST_PREFIX) {
      return prefix;
    }
    int room = LONGEST_PREFIX - 2;
    int ofPod = pod.length() * room / (pod.length() + entry.length());
    int ofEntry = room - ofPod;
    return pod.substring(0, Math.min(ofPod, pod.length()))
        + "-"
        + entry.substring(0, Math.min(ofEntry, entry.length()));
  }

  private String suffix() {
    StringBuilder suffix = new StringBuilder();
    for (int i = 0; i < SUFFIX_LENGTH; i++) {
      suffix.append(SUFFIX_ALPHABET.charAt(random.nextInt(SUFFIX_ALPHABET.length())));
    }
    return suffix.toString();
  }

  private static boolean record(ObjectNode pod, Map<String, String> made) {
    ArrayNode statuses = pod.withObject("/status").withArrayProperty("resourceClaimStatuses");
    for (int i = statuses.size() - 1; i >= 0; i--) {
      if (made.containsKey(statuses.get(i).path("name").asText())) {
        statuses.remove(i);
      }
    }
    made.forEach(
        (entry, claim) -> statuses.addObject().put("name", entry).put("resourceClaimName", claim));
    return true;
  }
}
