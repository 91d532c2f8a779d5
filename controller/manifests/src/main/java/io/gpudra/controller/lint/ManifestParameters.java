package io.gpudra.controller.lint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.NamespaceSelector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The given parameters, as one claim refers to them. */
record ManifestParameters(ManifestObjects given, LintObject from) implements ParametersObjects {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String OWN_NAME = "kubernetes.io/metadata.name";

  /** Selects every namespace. */
  private static final NamespaceSelector EVERY = new NamespaceSelector(null, null);

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return given
        .findSound(LintKind.CLAIM_PARAMETERS, name, from)
        .map(found -> spec(found, GpuClaimParametersSpec.class))
        .map(spec -> new GpuClaimParameters(null, null, null, spec));
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return given
        .findSound(LintKind.CLASS_PARAMETERS, name, from)
        .map(found -> spec(found, GpuClassParametersSpec.class))
        .map(
            spec -> new GpuClassParameters(null, null, null, namespaceKnown() ? spec : open(spec)));
  }

  private boolean namespaceKnown() {
    return namespaceOf(from.namespace()).isPresent();
  }

  private Optional<LintObject> namespaceOf(String name) {
    return given.find(LintKind.NAMESPACE, name, from);
  }

  /** Ignores the namespace selector, since the labels of the namespace are unknown. */
  private static GpuClassParametersSpec open(GpuClassParametersSpec spec) {
    return new GpuClassParametersSpec(
        spec.deviceSelector(),
        spec.cel(),
        spec.forbiddenAttributes(),
        spec.namespaceSelector() == null ? null : EVERY,
        spec.mode(),
        spec.shareable(),
        spec.monitor(),
        spec.sharing(),
        spec.placement(),
        spec.topology(),
        spec.topologyPolicy(),
        spec.memoryOvercommitPercent(),
        spec.enforceLimits(),
        spec.limits());
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    JsonNode labels =
        namespaceOf(namespace)
            .map(found -> found.json().path("metadata").path("labels"))
            .orElseGet(MissingNode::getInstance);
    Map<String, String> all = new LinkedHashMap<>();
    labels.properties().forEach(label -> all.put(label.getKey(), label.getValue().asText()));
    all.put(OWN_NAME, namespace);
    return Optional.of(ImmutableMap.copyOf(all));
  }

  private static <T> @Nullable T spec(LintObject lintObject, Class<T> type) {
    try {
      return JSON.treeToValue(lintObject.json().path("spec"), type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("reading what was read before", e);
    }
  }
}
