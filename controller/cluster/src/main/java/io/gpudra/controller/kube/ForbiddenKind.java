package io.gpudra.controller.kube;

import java.util.Optional;

/**
 * A kind that the caller may not read, or not in all namespaces.
 *
 * @param resource plural name, such as {@code resourceclaims}
 * @param apiVersion such as {@code resource.k8s.io/v1alpha2}
 * @param only the namespace that was read instead
 * @param served whether the server serves the kind
 */
public record ForbiddenKind(
    String resource, String apiVersion, Optional<String> only, boolean served) {

  /** A sentence with the kind and the missing permission. */
  public String text() {
    if (!served) {
      return "the server has no %s of %s".formatted(resource, apiVersion);
    }
    return only.map(
            namespace ->
                "of %s only those of namespace %s are seen: the right to list them in all"
                        .formatted(resource, namespace)
                    + " namespaces is missing")
        .orElseGet(() -> "no %s are seen: the right to list them is missing".formatted(resource));
  }
}
