package io.gpudra.controller.app;

import io.gpudra.controller.kube.ServerSupport;
import java.util.Optional;

/** Checks that the API server is supported; a driver that half works is worse than none. */
final class ServerCheck {

  private static final int OLDEST_MINOR = 27;

  /** The first version with ValidatingAdmissionPolicies of v1. */
  private static final int FIRST_MINOR_WITH_POLICIES = 30;

  /** The first version without classic DRA in the scheduler. */
  private static final int FIRST_MINOR_WITHOUT = 32;

  private ServerCheck() {}

  /** The reason why the server is not supported, with the remedy; empty if it is. */
  static Optional<String> problem(ServerSupport server) {
    if (server.minor() >= FIRST_MINOR_WITHOUT) {
      return Optional.of(
          ("the server is Kubernetes 1.%d; classic dynamic resource allocation ended with 1.31,"
                  + " this driver serves 1.27 to 1.30")
              .formatted(server.minor()));
    }
    if (!server.classic()) {
      return Optional.of(
          ("the server (Kubernetes 1.%d) does not serve resource.k8s.io/v1alpha2, it serves %s;"
                  + " start kube-apiserver, kube-controller-manager, kube-scheduler and every"
                  + " kubelet with --feature-gates=DynamicResourceAllocation=true, and"
                  + " kube-apiserver also with --runtime-config=resource.k8s.io/v1alpha2=true"
                  + " (Kubernetes 1.27 to 1.30)")
              .formatted(server.minor(), served(server)));
    }
    if (server.minor() < OLDEST_MINOR) {
      return Optional.of(
          "the server does not say which Kubernetes 1.%d or later it is, so that names of generated claims are unknown"
              .formatted(OLDEST_MINOR));
    }
    return Optional.empty();
  }

  /** A remark on the options for a server that is supported. */
  static Optional<String> remark(ServerSupport server, boolean gates) {
    return gates && server.minor() < FIRST_MINOR_WITH_POLICIES
        ? Optional.of(
            ("--gates on Kubernetes 1.%d: before 1.%d no ValidatingAdmissionPolicy keeps the right"
                    + " to patch pods to scheduling gates")
                .formatted(server.minor(), FIRST_MINOR_WITH_POLICIES))
        : Optional.empty();
  }

  private static String served(ServerSupport server) {
    return server.resourceVersions().isEmpty()
        ? "nothing of that group"
        : String.join(", ", server.resourceVersions());
  }
}
