package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;

/** Manifests in short, and what is found in them. */
final class LintSamples {

  static final String DRIVER = "gpu.resource.example.com";

  private LintSamples() {}

  static ImmutableList<LintFinding> findings(String... texts) {
    return new ManifestLinter(DRIVER, "").of(sources(texts)).findings();
  }

  static List<String> texts(String... texts) {
    return findings(texts).stream().map(LintFinding::text).toList();
  }

  /** Named a.yaml, b.yaml and so on. */
  static List<ManifestText> sources(String... texts) {
    return IntStream.range(0, texts.length)
        .mapToObj(i -> new ManifestText((char) ('a' + i) + ".yaml", texts[i]))
        .toList();
  }

  static String claimParameters(String name, String spec) {
    return object("gpu.resource.example.com/v1alpha1", "GpuClaimParameters", name, "spec: " + spec);
  }

  static String classParameters(String name, String spec) {
    return object("gpu.resource.example.com/v1alpha1", "GpuClassParameters", name, "spec: " + spec);
  }

  static String resourceClass(String name, String driver, String parameters) {
    String reference =
        parameters.isEmpty()
            ? ""
            : "\nparametersRef: " + reference("GpuClassParameters", parameters);
    return object(
        "resource.k8s.io/v1alpha2", "ResourceClass", name, "driverName: " + driver + reference);
  }

  static String claim(String name, String ofClass, String parameters) {
    return object(
        "resource.k8s.io/v1alpha2", "ResourceClaim", name, "spec: " + spec(ofClass, parameters));
  }

  static String template(String name, String ofClass, String parameters) {
    return object(
        "resource.k8s.io/v1alpha2",
        "ResourceClaimTemplate",
        name,
        "spec: {spec: %s}".formatted(spec(ofClass, parameters)));
  }

  private static String spec(String ofClass, String parameters) {
    return parameters.isEmpty()
        ? "{resourceClassName: %s}".formatted(ofClass)
        : "{resourceClassName: %s, parametersRef: %s}"
            .formatted(ofClass, reference("GpuClaimParameters", parameters));
  }

  private static String reference(String kind, String name) {
    return "{apiGroup: gpu.resource.example.com, kind: %s, name: %s}".formatted(kind, name);
  }

  /**
   * A pod with one container, c, that uses all entries.
   *
   * @param entries the name of each is that of its template, too
   */
  static String pod(String... entries) {
    StringBuilder claims = new StringBuilder();
    StringBuilder uses = new StringBuilder();
    for (String entry : entries) {
      claims.append(
          "  - {name: %s, source: {resourceClaimTemplateName: %s}}\n".formatted(entry, entry));
      uses.append("{name: %s},".formatted(entry));
    }
    return object(
        "v1",
        "Pod",
        "p",
        "spec:\n  containers: [{name: c, resources: {claims: [%s]}}]\n  resourceClaims:\n%s"
            .formatted(uses, claims));
  }

  static String object(String apiVersion, String kind, String name, String rest) {
    return "---\napiVersion: %s\nkind: %s\nmetadata: {name: %s}\n%s\n"
        .formatted(apiVersion, kind, name, rest);
  }
}
