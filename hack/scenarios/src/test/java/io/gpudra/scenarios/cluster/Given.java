package io.gpudra.scenarios.cluster;

import java.util.List;

/** Manifests of the objects the tests use. */
public final class Given {
  /** For {@link #podWith}: the gate of our driver. */
  public static final String GATE =
      "schedulingGates: [{name: %s/granted}]".formatted(Binaries.DRIVER_NAME);

  private Given() {}

  /** A namespace. */
  public static String namespace(String name) {
    return """
        apiVersion: v1
        kind: Namespace
        metadata: {name: %s}
        """
        .formatted(name);
  }

  /** Parameters with the spec in YAML. */
  public static String parameters(String namespace, String name, String spec) {
    return """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuClaimParameters
        metadata: {namespace: %s, name: %s}
        spec: %s
        """
        .formatted(namespace, name, spec);
  }

  /** A claim for one GPU. */
  public static String claim(String namespace, String name, String resourceClass) {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata: {namespace: %s, name: %s}
        spec: {resourceClassName: %s}
        """
        .formatted(namespace, name, resourceClass);
  }

  /** A claim with parameters of {@link #parameters}. */
  public static String claimWith(String namespace, String name, String parameters) {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata: {namespace: %s, name: %s}
        spec:
          resourceClassName: gpu.example.com
          parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClaimParameters, name: %s}
        """
        .formatted(namespace, name, parameters);
  }

  /** A template of claims with parameters of {@link #parameters}. */
  public static String templateWith(String namespace, String name, String parameters) {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaimTemplate
        metadata: {namespace: %s, name: %s}
        spec:
          spec:
            resourceClassName: gpu.example.com
            parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClaimParameters, name: %s}
        """
        .formatted(namespace, name, parameters);
  }

  /** For {@link #podWith}: the pod may only run there. */
  public static String on(String node) {
    return "nodeSelector: {kubernetes.io/hostname: " + node + "}";
  }

  /** A pod whose container {@code ctr0} names all these claims. */
  public static String pod(String namespace, String name, String... claims) {
    return podWith(namespace, name, "", claims);
  }

  /**
   * As {@link #pod}.
   *
   * @param more of the pod's spec, such as {@code nodeName: worker-0}
   */
  public static String podWith(String namespace, String name, String more, String... claims) {
    List<String> used = List.of(claims).stream().map("{name: %s}"::formatted).toList();
    List<String> entries =
        List.of(claims).stream()
            .map(claim -> "{name: %s, source: {resourceClaimName: %s}}".formatted(claim, claim))
            .toList();
    return """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: %s}
        spec:
          restartPolicy: Never
          %s
          containers:
          - name: ctr0
            image: busybox
            imagePullPolicy: IfNotPresent
            command: [sh, -c, "env | sort; trap 'exit 0' TERM; sleep infinity & wait"]
            resources: {claims: %s}
          resourceClaims: %s
        """
        .formatted(namespace, name, more, used, entries);
  }
}
