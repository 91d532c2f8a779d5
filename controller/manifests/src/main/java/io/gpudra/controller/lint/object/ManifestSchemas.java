package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Structural schemas: those of the shipped CRDs, and a file for Kubernetes' own kinds. */
final class ManifestSchemas {

  private static final String OF_CRD = "/spec/versions/0/schema/openAPIV3Schema";
  private static final Pattern STEP = Pattern.compile("\\[[^\\]]*\\]|[^.\\[]+");

  private static final ImmutableMap<LintKind, JsonNode> CUSTOM =
      ImmutableMap.of(
          LintKind.CLAIM_PARAMETERS, crd(GpuClaimParameters.PLURAL),
          LintKind.CLASS_PARAMETERS, crd(GpuClassParameters.PLURAL),
          LintKind.QUOTA, crd(GpuQuota.PLURAL),
          LintKind.INVENTORY, crd(NodeInventory.PLURAL));

  private static final JsonNode KUBERNETES = yaml(ManifestSchemas.class, "kubernetes.yaml");

  private ManifestSchemas() {}

  /** Schema of the whole object, or of the pod spec for workloads. */
  static JsonNode of(LintKind kind) {
    JsonNode custom = CUSTOM.get(kind);
    return custom == null
        ? KUBERNETES.path(kind.describesPods() ? "PodSpec" : kind.text())
        : custom;
  }

  private static JsonNode crd(String plural) {
    return yaml(GpuApi.class, "/io/gpudra/crds/" + plural + ".yaml").at(OF_CRD);
  }

  private static JsonNode yaml(Class<?> beside, String name) {
    try {
      String text = Resources.toString(Resources.getResource(beside, name), StandardCharsets.UTF_8);
      return YamlDocuments.of(text).documents().get(0).root().value();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The schema of a field; missing if there is none. */
  static JsonNode field(JsonNode schema, String name) {
    JsonNode property = schema.path("properties").path(name);
    JsonNode additional = schema.path("additionalProperties");
    return property.isMissingNode() && additional.isObject() ? additional : property;
  }

  /** Whether an object may have fields that the schema does not name. */
  static boolean isOpen(JsonNode schema) {
    return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()
        || !(schema.has("properties") || schema.has("additionalProperties"));
  }

  /** The schema at a path, such as {@code spec.requests[1].sharing}. */
  static JsonNode at(JsonNode schema, String path) {
    JsonNode here = schema;
    Matcher step = STEP.matcher(path);
    while (step.find()) {
      boolean inBrackets = step.group().startsWith("[");
      here = inBrackets ? entries(here) : field(here, step.group());
    }
    return path.isEmpty() ? MissingNode.getInstance() : here;
  }

  private static JsonNode entries(JsonNode schema) {
    return schema.has("items") ? schema.path("items") : schema.path("additionalProperties");
  }
}
