package io.gpudra.controller.kube;

import java.util.Optional;

/**
 * A kind of objects that a caller could not read, or not of all namespaces.
 *
 * @param resource plural name, such as {@code resourceclaims}
 * @param apiVersion such as {@code resource.k8s.io/v1alpha2}
 * @param only the namespace that was read all the same
 * @param served whether the server has the kind at all
 */
public record Withheld(String resource, String apiVersion, Optional<String> only, boolean served) {

  /** A sentence: what is missing, and which right would show it. */
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
