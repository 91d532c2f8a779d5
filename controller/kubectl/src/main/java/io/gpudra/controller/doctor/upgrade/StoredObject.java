package io.gpudra.controller.doctor.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.doctor.upgrade.UpgradeStep.StepKind;
import java.util.Optional;
import java.util.stream.Collectors;

/** An object of the cluster. */
record StoredObject(StoredKind kind, JsonNode json) {
  private static final ImmutableSet<String> OF_KUBERNETES =
      ImmutableSet.of("v1", "apps/v1", "batch/v1");

  String name() {
    return text("/metadata/name");
  }

  /** The text at a pointer; empty without. */
  String text(String pointer) {
    return json.at(pointer).asText();
  }

  private String namespace() {
    return text("/metadata/namespace");
  }

  /** Such as {@code Deployment team-a/train}. */
  String subject() {
    String namespace = namespace();
    return kind.text() + " " + (namespace.isEmpty() ? "" : namespace + "/") + name();
  }

  /** The owner that creates the object. */
  private Optional<JsonNode> owner() {
    return Streams.stream(json.at("/metadata/ownerReferences"))
        .filter(owner -> owner.path("controller").asBoolean())
        .findFirst();
  }

  /** Whether it goes with an object of Kubernetes that is found itself. */
  boolean goesWithItsOwner() {
    return owner().filter(StoredObject::isOfKubernetes).isPresent();
  }

  private static boolean isOfKubernetes(JsonNode owner) {
    return OF_KUBERNETES.contains(owner.path("apiVersion").asText());
  }

  /** A command of kubectl about this object. */
  String kubectl(String verb, String rest) {
    String namespace = namespace().isEmpty() ? "" : "-n " + namespace() + " ";
    return "kubectl %s%s %s %s%s".formatted(namespace, verb, kind.singular(), name(), rest);
  }

  UpgradeStep step(StepKind step, String message, String command) {
    return new UpgradeStep(step, subject(), message, command);
  }

  /** A step for this object, or for an owner of another group, which would undo the command. */
  UpgradeStep stepUnlessOwned(StepKind step, String message, String verb, String command) {
    return step(
        step,
        message,
        owner()
            .filter(owner -> !isOfKubernetes(owner))
            .map(o -> sentence(verb, o))
            .orElse(command));
  }

  private String sentence(String verb, JsonNode owner) {
    return "%s %s %s/%s of %s"
        .formatted(
            verb,
            owner.path("kind").asText(),
            namespace(),
            owner.path("name").asText(),
            owner.path("apiVersion").asText());
  }

  /** Whether the condition is true. */
  boolean hasCondition(String type) {
    return Streams.stream(json.at("/status/conditions"))
        .filter(condition -> condition.path("type").asText().equals(type))
        .anyMatch(condition -> condition.path("status").asText().equals("True"));
  }

  boolean hasFinalizer(String name) {
    return Streams.stream(json.at("/metadata/finalizers"))
        .anyMatch(finalizer -> finalizer.asText().equals(name));
  }

  /** The entries that name neither a claim nor a template. */
  String namelessClaims() {
    return Streams.stream(kind.claims(json))
        .filter(entry -> !entry.has("resourceClaimName"))
        .filter(entry -> !entry.has("resourceClaimTemplateName"))
        .map(entry -> entry.path("name").asText())
        .collect(Collectors.joining(", "));
  }
}
