package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import java.util.ArrayList;
import java.util.List;

/** A pod, as the actors read it. */
public record Pod(ObjectNode json) {
  /** What a claim entry of a pod stands for. */
  public enum Binding {
    /** The claim has a name; the object need not exist. */
    NAMED,
    /** The claim is still to be generated. */
    NOT_CREATED,
    /** The pod needs no claim for this entry. */
    NOT_NEEDED
  }

  /**
   * One entry of the pod's list of claims.
   *
   * @param entry name of the claim inside the pod
   * @param claim name of the ResourceClaim; empty unless NAMED
   * @param template name of the template; empty for a claim given by name
   */
  public record ClaimEntry(String entry, Binding binding, String claim, String template) {
    public boolean generated() {
      return !template.isEmpty();
    }
  }

  public String namespace() {
    return Meta.namespace(json);
  }

  public String name() {
    return Meta.name(json);
  }

  public String uid() {
    return Meta.uid(json);
  }

  /** Empty when the pod is not bound. */
  public String node() {
    return Json.text(json, "spec.nodeName");
  }

  public boolean gated() {
    return !Json.at(json, "spec.schedulingGates").isEmpty();
  }

  public boolean deleting() {
    return Meta.deleting(json);
  }

  public boolean terminal() {
    String phase = Json.text(json, "status.phase");
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  /** Ended, or deleted before it was bound: it needs its claims no more. */
  public boolean done() {
    return terminal() || (deleting() && node().isEmpty());
  }

  /** The claims the pod asks for, in its own order (protocol.md 1.6). */
  public List<ClaimEntry> claims(Profile profile) {
    List<ClaimEntry> entries = new ArrayList<>();
    for (JsonNode entry : Json.at(json, "spec.resourceClaims")) {
      String name = entry.path("name").asText();
      JsonNode source = entry.path("source");
      String template = source.path("resourceClaimTemplateName").asText();
      if (template.isEmpty()) {
        String claim = source.path("resourceClaimName").asText();
        entries.add(new ClaimEntry(name, Binding.NAMED, claim, ""));
      } else if (profile == Profile.V1_27) {
        entries.add(new ClaimEntry(name, Binding.NAMED, name() + "-" + name, template));
      } else {
        entries.add(generated(name, template));
      }
    }
    return entries;
  }

  private ClaimEntry generated(String entry, String template) {
    JsonNode status = Json.find(Json.at(json, "status.resourceClaimStatuses"), "name", entry);
    if (status.isMissingNode()) {
      return new ClaimEntry(entry, Binding.NOT_CREATED, "", template);
    }
    String claim = status.path("resourceClaimName").asText("");
    Binding binding = claim.isEmpty() ? Binding.NOT_NEEDED : Binding.NAMED;
    return new ClaimEntry(entry, binding, claim, template);
  }

  /** Metadata of an object in the pod's namespace. */
  public ObjectNode named(String name) {
    return Json.object("namespace", namespace(), "name", name);
  }

  public ObjectNode reference() {
    return Json.object("apiVersion", "v1", "kind", "Pod", "name", name(), "uid", uid());
  }

  /** Makes the pod the controller of an object with this metadata. */
  public void own(ObjectNode metadata) {
    ObjectNode owner = reference().put("controller", true).put("blockOwnerDeletion", true);
    metadata.putArray("ownerReferences").add(owner);
  }

  /** A scheduling context of the pod, with an empty spec. */
  public ObjectNode newContext() {
    ObjectNode metadata = named(name());
    own(metadata);
    return Json.object("metadata", metadata, "spec", Json.object());
  }
}
