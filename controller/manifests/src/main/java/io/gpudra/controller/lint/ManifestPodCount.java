package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The number of pods that an object makes at a time. */
final class ManifestPodCount {
  private ManifestPodCount() {}

  /** The number; empty if it depends on the cluster or cannot be read. */
  static Optional<Integer> of(LintObject pods) {
    return switch (pods.kind()) {
      case POD -> Optional.of(1);
      case REPLICATION_CONTROLLER, DEPLOYMENT, REPLICA_SET, STATEFUL_SET ->
          number(pods.part("spec.replicas"));
      case JOB -> ofJob(pods.part("spec"));
      case CRON_JOB -> ofJob(pods.part("spec.jobTemplate.spec"));
      case POD_TEMPLATE,
          DAEMON_SET,
          CLAIM_PARAMETERS,
          CLASS_PARAMETERS,
          QUOTA,
          INVENTORY,
          CLAIM,
          TEMPLATE,
          RESOURCE_CLASS,
          NAMESPACE ->
          Optional.empty();
    };
  }

  private static Optional<Integer> ofJob(JsonNode spec) {
    Optional<Integer> parallelism = number(spec.path("parallelism"));
    JsonNode completions = spec.path("completions");
    return completions.isMissingNode()
        ? parallelism
        : parallelism.flatMap(some -> number(completions).map(most -> Math.min(some, most)));
  }

  private static Optional<Integer> number(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return Optional.of(1);
    }
    return value.canConvertToInt() && value.asInt() >= 0
        ? Optional.of(value.asInt())
        : Optional.empty();
  }
}
