package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.ParametersReference;
import java.util.Optional;

/** Reads {@code parametersRef}. */
public final class ParametersRefReader {

  private ParametersRefReader() {}

  /** The reference as it is written. */
  public static ParametersReference of(JsonNode reference) {
    return new ParametersReference(
        reference.path("apiGroup").asText(),
        reference.path("kind").asText(),
        reference.path("namespace").asText(),
        reference.path("name").asText());
  }

  /** The reference; empty if there is none. */
  public static Optional<ParametersRef> named(JsonNode reference) {
    return reference.isObject()
        ? Optional.of(
            new ParametersRef(
                reference.path("apiGroup").asText(),
                reference.path("kind").asText(),
                Optional.empty(),
                reference.path("name").asText()))
        : Optional.empty();
  }

  /** Whether the group and the kind are those of this driver's parameters. */
  public static boolean isOurs(JsonNode reference) {
    String group = reference.path("apiGroup").asText();
    String kind = reference.path("kind").asText();
    boolean ourKind = kind.equals(GpuClaimParameters.KIND) || kind.equals(GpuClassParameters.KIND);
    return group.equals(GpuApi.GROUP)
        || group.startsWith(GpuApi.GROUP + "/")
        || (group.isEmpty() && ourKind);
  }
}
