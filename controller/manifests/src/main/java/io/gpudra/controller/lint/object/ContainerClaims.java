package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks that the claims of containers are declared by the pod, with the API server's messages.
 *
 * @param pod path of the pod's spec
 */
record ContainerClaims(String pod, JsonNode spec, ObjectProblems verdict) {

  /** The driver does not serve pods with more entries. */
  static final int MAX_ENTRIES = 64;

  void check() {
    Set<String> names = new TreeSet<>();
    int number = 0;
    for (JsonNode entry : spec.path("resourceClaims")) {
      String path = "%s.resourceClaims[%d]".formatted(pod, number++);
      checkSource(path + ".source", entry.path("source"));
      String name = entry.path("name").asText();
      if (!name.isEmpty() && !names.add(name)) {
        verdict.add(path + ".name", "Duplicate value: " + quoted(name));
      }
    }
    checkContainers(pod + ".initContainers", spec.path("initContainers"), names);
    checkContainers(pod + ".containers", spec.path("containers"), names);
  }

  private void checkSource(String path, JsonNode source) {
    boolean claim = source.hasNonNull("resourceClaimName");
    boolean template = source.hasNonNull("resourceClaimTemplateName");
    if (claim && template) {
      verdict.add(
          path,
          "Invalid value: \"object\": at most one of resourceClaimName and"
              + " resourceClaimTemplateName may be set");
    } else if (!claim && !template) {
      verdict.add(path, "Required value: resourceClaimName or resourceClaimTemplateName");
    }
  }

  private void checkContainers(String path, JsonNode containers, Set<String> names) {
    for (int i = 0; i < containers.size(); i++) {
      JsonNode claims = containers.path(i).path("resources").path("claims");
      for (int j = 0; j < claims.size(); j++) {
        String name = claims.path(j).path("name").asText();
        if (!name.isEmpty() && !names.contains(name)) {
          String at = "%s[%d].resources.claims[%d]".formatted(path, i, j);
          verdict.add(() -> ObjectProblem.at(at, notFound(name, names)));
        }
      }
    }
  }

  private static String notFound(String name, Set<String> names) {
    List<String> few = names.stream().limit(MAX_ENTRIES).toList();
    String hint =
        NameSuggestion.nearest(name, few).map(", did you mean \"%s\"?"::formatted).orElse("");
    String there = few.isEmpty() ? " which is empty" : ": " + String.join(", ", few);
    return "Not found: %s: must be one of the names in pod.spec.resourceClaims%s%s"
        .formatted(quoted(name), there, hint);
  }

  private static String quoted(String name) {
    return '"' + ProblemList.shortened(name) + '"';
  }
}
