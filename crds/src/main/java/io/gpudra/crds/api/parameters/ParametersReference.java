package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import org.jspecify.annotations.Nullable;

/**
 * A {@code parametersRef} as stored. The API server checks none of its fields, so all the checks of
 * api.md 1 are here.
 *
 * @param apiGroup the group, with or without a served version
 * @param namespace only of a class; a claim's parameters are in its own namespace
 */
public record ParametersReference(
    @Nullable String apiGroup,
    @Nullable String kind,
    @Nullable String namespace,
    @Nullable String name) {

  /** The problems of the reference of a ResourceClaim. */
  public ImmutableList<String> problemsOfClaim() {
    ProblemList problems = new ProblemList();
    check(problems, "spec.parametersRef", GpuClaimParameters.KIND);
    return problems.found();
  }

  /** The problems of the reference of a ResourceClass. */
  public ImmutableList<String> problemsOfClass() {
    ProblemList problems = new ProblemList();
    check(problems, "parametersRef", GpuClassParameters.KIND);
    if (namespace != null && !namespace.isEmpty()) {
      problems.add(
          "parametersRef.namespace",
          "Forbidden: " + GpuClassParameters.KIND + " is cluster-scoped");
    }
    return problems.found();
  }

  private void check(ProblemList problems, String path, String expectedKind) {
    checkGroup(problems, path + ".apiGroup");
    checkKind(problems, path + ".kind", expectedKind);
    problems.text(path + ".name", name);
  }

  private void checkGroup(ProblemList problems, String path) {
    if (apiGroup == null || apiGroup.isEmpty()) {
      problems.add(path, "Required value: \"%s\"".formatted(GpuApi.GROUP));
    } else if (!apiGroup.equals(GpuApi.GROUP) && !apiGroup.equals(GpuApi.GROUP_VERSION)) {
      problems.add(
          path,
          "Unsupported value: \"%s\": %s"
              .formatted(ProblemList.shortened(apiGroup), groupHint(apiGroup)));
    }
  }

  private static String groupHint(String group) {
    if (group.startsWith(GpuApi.GROUP + "/")) {
      return "served versions: " + GpuApi.VERSION;
    }
    return "use \"%s\" (or \"%s\")".formatted(GpuApi.GROUP, GpuApi.GROUP_VERSION);
  }

  private void checkKind(ProblemList problems, String path, String expected) {
    if (kind == null || kind.isEmpty()) {
      problems.add(path, "Required value: \"%s\"".formatted(expected));
    } else if (!kind.equals(expected)) {
      problems.add(
          path,
          "Unsupported value: \"%s\": %s"
              .formatted(
                  ProblemList.shortened(kind),
                  NameSuggestion.hint(kind, ImmutableSet.of(expected))));
    }
  }
}
