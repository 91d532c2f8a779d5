package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;

/** Namespace → its labels, for the namespace selectors of classes. */
public final class NamespaceMapping {

  /** Enough for hundreds of labels. Limited, since tenants may label their namespaces. */
  public static final int MAX_CHARACTERS = 8_192;

  private NamespaceMapping() {}

  /**
   * Reads the labels.
   *
   * @throws IllegalArgumentException if they exceed the limit; then no class with a selector serves
   *     the namespace
   */
  public static ImmutableMap<String, String> labels(V1Namespace namespace) {
    V1ObjectMeta metadata = requireNonNullElse(namespace.getMetadata(), new V1ObjectMeta());
    Map<String, String> labels = requireNonNullElse(metadata.getLabels(), Map.of());
    long characters =
        labels.entrySet().stream()
            .mapToLong(label -> label.getKey().length() + label.getValue().length())
            .sum();
    if (characters > MAX_CHARACTERS) {
      throw new IllegalArgumentException(
          "metadata.labels: %d characters, at most %d are read"
              .formatted(characters, MAX_CHARACTERS));
    }
    ImmutableMap.Builder<String, String> kept = ImmutableMap.builder();
    // Thousands of namespaces share the same few labels.
    labels.forEach((key, value) -> kept.put(key.intern(), value.intern()));
    return kept.buildOrThrow();
  }
}
