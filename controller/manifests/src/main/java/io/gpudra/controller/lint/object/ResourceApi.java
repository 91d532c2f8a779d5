package io.gpudra.controller.lint.object;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.Optional;

/** The versions of Kubernetes' resource API, and those that the driver does not support. */
public final class ResourceApi {

  private static final String GROUP = "resource.k8s.io/";

  /** The version of the driver. */
  static final String SERVED = GROUP + "v1alpha2";

  private static final String OF_THE_DRIVER =
      "; the driver is for \"%s\" of Kubernetes 1.27 to 1.30".formatted(SERVED);

  /** The end of a message about what later versions write. */
  static final String CONVERTED = "; kubectl gpudra convert translates it";

  /** The first Kubernetes release of each later version. */
  private static final ImmutableMap<String, String> LATER_VERSIONS =
      ImmutableMap.of("v1alpha3", "1.31", "v1beta1", "1.32", "v1beta2", "1.33", "v1", "1.34");

  private static final String IN_PARAMETERS =
      ", where GpuClaimParameters say what spec.devices says";

  /** Replacements by kind. */
  private static final ImmutableMap<String, String> IN_PLACE =
      ImmutableMap.of(
          "DeviceClass",
          ", where a ResourceClass is in its place",
          "ResourceSlice",
          ", where the plugin's NodeInventory is in its place",
          "ResourceClaim",
          IN_PARAMETERS,
          "ResourceClaimTemplate",
          IN_PARAMETERS);

  private static final ImmutableSet<String> KINDS =
      ImmutableSet.of(
          "ResourceClaim",
          "ResourceClaimTemplate",
          "ResourceClass",
          "ResourceClassParameters",
          "ResourceClaimParameters",
          "ResourceSlice",
          "PodSchedulingContext");

  private ResourceApi() {}

  /** The reason why the driver does not support this version of the API; empty if it does. */
  public static Optional<ObjectProblem> problem(String apiVersion, String kind) {
    if (apiVersion.equals(SERVED)) {
      return KINDS.contains(kind)
          ? Optional.empty()
          : Optional.of(refused("kind", kind, NameSuggestion.hint(kind, KINDS)));
    }
    return apiVersion.startsWith(GROUP)
        ? Optional.of(refused("apiVersion", apiVersion, ofVersion(apiVersion, kind)))
        : Optional.empty();
  }

  private static String ofVersion(String apiVersion, String kind) {
    String version = apiVersion.substring(GROUP.length());
    String begins = LATER_VERSIONS.get(version);
    if (begins != null) {
      return "this API begins with Kubernetes %s%s%s%s"
          .formatted(begins, OF_THE_DRIVER, IN_PLACE.getOrDefault(kind, ""), CONVERTED);
    }
    return (version.equals("v1alpha1")
            ? "only Kubernetes 1.26 has this API"
            : "no such API is known")
        + OF_THE_DRIVER;
  }

  private static ObjectProblem refused(String field, String value, String why) {
    return ObjectProblem.at(
        field, "Unsupported value: \"%s\": %s".formatted(ProblemList.shortened(value), why));
  }
}
