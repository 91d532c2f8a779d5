package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.problem.Problems;
import java.util.Optional;

/**
 * Checks one object by itself: unknown fields, schema, validation rules, conditions, reference. Its
 * metadata and status are not checked. The messages are those of the API server or, for checks that
 * it does not have, of the controller.
 */
public final class ObjectCheck {

  private static final JsonMapper JSON = new JsonMapper();

  private final String driver;
  private final GpuChecks checks;

  /** For objects of the driver of this name. */
  public ObjectCheck(String driver) {
    this(driver, new GpuChecks(driver));
  }

  /** The same with existing checks. */
  public ObjectCheck(String driver, GpuChecks checks) {
    this.driver = driver;
    this.checks = checks;
  }

  /** Problems of the object; none for other kinds. */
  public ImmutableList<Told> problems(JsonNode object) {
    return Kind.of(object.path("apiVersion").asText(), object.path("kind").asText())
        .map(kind -> problems(kind, object))
        .orElse(ImmutableList.of());
  }

  /** The same for an object of that kind. */
  public ImmutableList<Told> problems(Kind kind, JsonNode object) {
    Verdict verdict = new Verdict();
    if (kind.describesPods()) {
      checkPods(kind, object, verdict);
    } else {
      checkName(kind, object.path("metadata"), verdict);
      new StructuralCheck(verdict).check("", object, Schemas.of(kind));
      if (verdict.isReadable()) {
        addRules(kind, object, verdict);
      }
    }
    return verdict.told();
  }

  private static void checkPods(Kind kind, JsonNode object, Verdict verdict) {
    JsonNode spec = object.at(kind.podSpecPointer());
    if (spec.isObject()) {
      new StructuralCheck(verdict).check(kind.podSpec(), spec, Schemas.of(kind));
      new ContainerClaims(kind.podSpec(), spec, verdict).check();
    }
  }

  private static void checkName(Kind kind, JsonNode metadata, Verdict verdict) {
    boolean generated = kind != Kind.INVENTORY && !metadata.path("generateName").asText().isEmpty();
    if (metadata.path("name").asText().isEmpty() && !generated) {
      verdict.add("metadata.name", "Required value: name or generateName is required");
    }
  }

  private void addRules(Kind kind, JsonNode object, Verdict verdict) {
    ImmutableList<String> sentences = sentences(kind, object, verdict);
    ImmutableSet<String> spokenOf = verdict.paths();
    for (String sentence : sentences) {
      Told told = Told.of(sentence);
      JsonNode schema = Schemas.at(Schemas.of(kind), told.path());
      boolean ofParts = schema.path("type").asText().equals("object");
      Optional<Told> rule = rule(schema, told);
      if (!spokenOf.contains(told.path()) || (ofParts && rule.isPresent())) {
        verdict.addOnce(rule.orElse(told));
      }
    }
  }

  private ImmutableList<String> sentences(Kind kind, JsonNode object, Verdict verdict) {
    return switch (kind) {
      case CLAIM_PARAMETERS ->
          read(object, GpuClaimParametersSpec.class, verdict)
              .map(checks::problems)
              .orElse(ImmutableList.of());
      case CLASS_PARAMETERS ->
          read(object, GpuClassParametersSpec.class, verdict)
              .map(checks::problems)
              .orElse(ImmutableList.of());
      case RESOURCE_CLASS -> ofClass(object);
      case INVENTORY,
          CLAIM,
          TEMPLATE,
          NAMESPACE,
          POD,
          POD_TEMPLATE,
          REPLICATION_CONTROLLER,
          DEPLOYMENT,
          REPLICA_SET,
          STATEFUL_SET,
          DAEMON_SET,
          JOB,
          CRON_JOB ->
          ImmutableList.of();
    };
  }

  private static <T> Optional<T> read(JsonNode object, Class<T> type, Verdict verdict) {
    try {
      return Optional.ofNullable(JSON.treeToValue(object.path("spec"), type));
    } catch (JsonProcessingException e) {
      if (verdict.isEmpty()) {
        verdict.add("spec", "cannot be read: " + Problems.shortened(e.getOriginalMessage()));
      }
      return Optional.empty();
    }
  }

  private ImmutableList<String> ofClass(JsonNode object) {
    JsonNode reference = object.path("parametersRef");
    boolean ours =
        object.path("driverName").asText().equals(driver) || References.isOurs(reference);
    return ours && reference.isObject()
        ? References.of(reference).problemsOfClass()
        : ImmutableList.of();
  }

  /** Words a schema rule like the API server, which shows the type instead of the value. */
  private static Optional<Told> rule(JsonNode schema, Told told) {
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      String message = rule.path("message").asText();
      if (told.text().endsWith(": " + message)) {
        String type = schema.path("type").asText();
        return Optional.of(
            Told.at(told.path(), "Invalid value: \"%s\": %s".formatted(type, message)));
      }
    }
    return Optional.empty();
  }
}
