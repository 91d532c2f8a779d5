package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.text.ListText;
import java.util.stream.Stream;

/** Checks Kubernetes: APIs, feature gates, versions, CRDs and permissions. */
record ControlPlane(InstallationState installationState) {
  static final String GATE = "--feature-gates=DynamicResourceAllocation=true";
  private static final String API = "--runtime-config=resource.k8s.io/v1alpha2=true";
  private static final ImmutableSet<String> KINDS =
      ImmutableSet.of("resourceclaims", "resourceclasses", "podschedulingcontexts");

  private static final int LAST_CLASSIC_MINOR = 30;

  Stream<Diagnosis> diagnoses() {
    return Stream.of(api(), gates(), schedulers(), crds(), rights(), runtimes())
        .flatMap(found -> found);
  }

  private Stream<Diagnosis> api() {
    if (!installationState.server().versions().contains("v1alpha2")) {
      return Stream.of(
          new Diagnosis(
              ProblemKind.API_NOT_SERVED,
              "kube-apiserver",
              "resource.k8s.io/v1alpha2 is not served; Kubernetes 1.%d serves %s"
                  .formatted(
                      installationState.server().minor(),
                      installationState.server().versions().isEmpty()
                          ? "nothing of that group"
                          : String.join(", ", installationState.server().versions())),
              installationState.server().minor() > LAST_CLASSIC_MINOR
                  ? "use a cluster of Kubernetes 1.27 to 1.30: later ones have no classic DRA"
                  : "start kube-apiserver with %s %s".formatted(GATE, API)));
    }
    return installationState.server().kinds().containsAll(KINDS)
        ? Stream.empty()
        : Stream.of(gateOff("kube-apiserver", "serves none of its kinds"));
  }

  private Stream<Diagnosis> gates() {
    return installationState.gates().entrySet().stream()
        .filter(gate -> !gate.getValue())
        .map(gate -> gateOff(gate.getKey(), "runs without feature gate DynamicResourceAllocation"));
  }

  private static Diagnosis gateOff(String component, String what) {
    return new Diagnosis(
        ProblemKind.FEATURE_GATE_OFF,
        component,
        component + " " + what,
        "start %s with %s".formatted(component.replaceFirst(" of .*", ""), GATE));
  }

  private Stream<Diagnosis> schedulers() {
    return installationState.schedulers().releases().stream()
        .flatMap(
            release ->
                SchedulerVersions.mendedIn(release).map(to -> unbound(release, to)).stream());
  }

  private Diagnosis unbound(String release, String mended) {
    return new Diagnosis(
        ProblemKind.SCHEDULER_BINDS_NO_CLAIMS,
        FeatureGates.SCHEDULER,
        installationState.schedulers().themselves()
            ? "kube-scheduler %s binds no pods with claims".formatted(release)
            : "kube-apiserver is of %s, and a kube-scheduler of that release binds no pods with claims"
                .formatted(release),
        "upgrade kube-scheduler to %s or later".formatted(mended));
  }

  private Stream<Diagnosis> crds() {
    return installationState.outdated().entrySet().stream()
        .map(
            crd ->
                new Diagnosis(
                    ProblemKind.CRD_OUTDATED,
                    "CustomResourceDefinition " + crd.getKey(),
                    crd.getValue().isEmpty()
                        ? "is not there"
                        : "lacks " + ListText.of(crd.getValue()),
                    "kubectl apply -k crds"));
  }

  private Stream<Diagnosis> rights() {
    return installationState.forbidden().asMap().entrySet().stream()
        .map(
            account ->
                new Diagnosis(
                    ProblemKind.RIGHTS_MISSING,
                    "service account " + account.getKey(),
                    "may not " + ListText.of(account.getValue()),
                    "kubectl apply the roles of manifests/base, or of the chart, of this release"));
  }

  private Stream<Diagnosis> runtimes() {
    return installationState.nodes().entrySet().stream()
        .filter(node -> ContainerRuntimes.withoutCdi(node.getValue().runtime()))
        .map(
            node ->
                new Diagnosis(
                    ProblemKind.RUNTIME_WITHOUT_CDI,
                    "node " + node.getKey(),
                    "container runtime %s has no CDI: pods would run without their GPUs"
                        .formatted(node.getValue().runtime()),
                    "use " + ContainerRuntimes.WITH_CDI));
  }
}
