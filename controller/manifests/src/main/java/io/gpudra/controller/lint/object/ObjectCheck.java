package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import java.util.Optional;

/**
 * Checks one object by itself: unknown fields, schema, validation rules, conditions, reference. Its
 * metadata and status are not checked. The messages are those of the API server or, for checks that
 * it does not have, of the controller.
 */
public record ObjectCheck(String driver, GpuChecks checks) {

  private static final JsonMapper JSON = new JsonMapper();

  /** The problems of an object of this kind. */
  public ImmutableList<ObjectProblem> problems(LintKind kind, JsonNode object) {
    ObjectProblems objectProblems = new ObjectProblems();
    if (kind.describesPods()) {
      checkPods(kind, object, objectProblems);
    } else {
      checkName(kind, object.path("metadata"), objectProblems);
      new StructuralCheck(objectProblems).check("", object, ManifestSchemas.of(kind));
      if (objectProblems.isReadable()) {
        addRules(kind, object, objectProblems);
      }
    }
    return objectProblems.list();
  }

  private static void checkPods(LintKind kind, JsonNode object, ObjectProblems objectProblems) {
    JsonNode spec = object.at(kind.podSpecPointer());
    if (spec.isObject()) {
      new StructuralCheck(objectProblems).check(kind.podSpec(), spec, ManifestSchemas.of(kind));
      new ContainerClaims(kind.podSpec(), spec, objectProblems).check();
    }
  }

  private static void checkName(LintKind kind, JsonNode metadata, ObjectProblems objectProblems) {
    boolean generated =
        kind != LintKind.INVENTORY && !metadata.path("generateName").asText().isEmpty();
    if (metadata.path("name").asText().isEmpty() && !generated) {
      objectProblems.add("metadata.name", "Required value: name or generateName is required");
    }
  }

  private void addRules(LintKind kind, JsonNode object, ObjectProblems objectProblems) {
    ImmutableList<String> sentences = sentences(kind, object, objectProblems);
    ImmutableSet<String> spokenOf = objectProblems.paths();
    for (String sentence : sentences) {
      ObjectProblem problem = ObjectProblem.of(sentence);
      JsonNode schema = ManifestSchemas.at(ManifestSchemas.of(kind), problem.path());
      boolean ofParts = schema.path("type").asText().equals("object");
      Optional<ObjectProblem> rule = rule(schema, problem);
      if (!spokenOf.contains(problem.path()) || (ofParts && rule.isPresent())) {
        objectProblems.addOnce(rule.orElse(problem));
      }
    }
  }

  private ImmutableList<String> sentences(
      LintKind kind, JsonNode object, ObjectProblems objectProblems) {
    return switch (kind) {
      case CLAIM_PARAMETERS ->
          read(object, GpuClaimParametersSpec.class, objectProblems)
              .map(checks::problems)
              .orElse(ImmutableList.of());
      case CLASS_PARAMETERS ->
          read(object, GpuClassParametersSpec.class, objectProblems)
              .map(checks::problems)
              .orElse(ImmutableList.of());
      case QUOTA ->
          read(object, GpuQuotaSpec.class, objectProblems)
              .map(GpuQuotaSpec::problems)
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

  private static <T> Optional<T> read(
      JsonNode object, Class<T> type, ObjectProblems objectProblems) {
    try {
      return Optional.ofNullable(JSON.treeToValue(object.path("spec"), type));
    } catch (JsonProcessingException e) {
      if (objectProblems.isEmpty()) {
        objectProblems.add(
            "spec", "cannot be read: " + ProblemList.shortened(e.getOriginalMessage()));
      }
      return Optional.empty();
    }
  }

  private ImmutableList<String> ofClass(JsonNode object) {
    JsonNode reference = object.path("parametersRef");
    boolean ours =
        object.path("driverName").asText().equals(driver) || ParametersRefReader.isOurs(reference);
    return ours && reference.isObject()
        ? ParametersRefReader.of(reference).problemsOfClass()
        : ImmutableList.of();
  }

  /** Words a schema rule like the API server, which shows the type instead of the value. */
  private static Optional<ObjectProblem> rule(JsonNode schema, ObjectProblem problem) {
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      String message = rule.path("message").asText();
      if (problem.text().endsWith(": " + message)) {
        String type = schema.path("type").asText();
        return Optional.of(
            ObjectProblem.at(problem.path(), "Invalid value: \"%s\": %s".formatted(type, message)));
      }
    }
    return Optional.empty();
  }
}
