package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableSet;
import java.util.stream.Stream;

/** Checks Kubernetes: APIs, feature gates, versions, CRDs and permissions. */
record ControlPlane(Patient patient) {
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
    if (!patient.server().versions().contains("v1alpha2")) {
      return Stream.of(
          new Diagnosis(
              Complaint.API_NOT_SERVED,
              "kube-apiserver",
              "resource.k8s.io/v1alpha2 is not served; Kubernetes 1.%d serves %s"
                  .formatted(
                      patient.server().minor(),
                      patient.server().versions().isEmpty()
                          ? "nothing of that group"
                          : String.join(", ", patient.server().versions())),
              patient.server().minor() > LAST_CLASSIC_MINOR
                  ? "use a cluster of Kubernetes 1.27 to 1.30: later ones have no classic DRA"
                  : "start kube-apiserver with %s %s".formatted(GATE, API)));
    }
    return patient.server().kinds().containsAll(KINDS)
        ? Stream.empty()
        : Stream.of(gateOff("kube-apiserver", "serves none of its kinds"));
  }

  private Stream<Diagnosis> gates() {
    return patient.gates().entrySet().stream()
        .filter(gate -> !gate.getValue())
        .map(gate -> gateOff(gate.getKey(), "runs without feature gate DynamicResourceAllocation"));
  }

  private static Diagnosis gateOff(String component, String what) {
    return new Diagnosis(
        Complaint.FEATURE_GATE_OFF,
        component,
        component + " " + what,
        "start %s with %s".formatted(component.replaceFirst(" of .*", ""), GATE));
  }

  private Stream<Diagnosis> schedulers() {
    return patient.schedulers().releases().stream()
        .flatMap(release -> Schedulers.mendedIn(release).map(to -> unbound(release, to)).stream());
  }

  private Diagnosis unbound(String release, String mended) {
    return new Diagnosis(
        Complaint.SCHEDULER_BINDS_NO_CLAIMS,
        Gates.SCHEDULER,
        patient.schedulers().themselves()
            ? "kube-scheduler %s binds no pods with claims".formatted(release)
            : "kube-apiserver is of %s, and a kube-scheduler of that release binds no pods with claims"
                .formatted(release),
        "upgrade kube-scheduler to %s or later".formatted(mended));
  }

  private Stream<Diagnosis> crds() {
    return patient.outdated().entrySet().stream()
        .map(
            crd ->
                new Diagnosis(
                    Complaint.CRD_OUTDATED,
                    "CustomResourceDefinition " + crd.getKey(),
                    crd.getValue().isEmpty()
                        ? "is not there"
                        : "lacks " + Text.listed(crd.getValue()),
                    "kubectl apply -k crds"));
  }

  private Stream<Diagnosis> rights() {
    return patient.forbidden().entrySet().stream()
        .map(
            account ->
                new Diagnosis(
                    Complaint.RIGHTS_MISSING,
                    "service account " + account.getKey(),
                    "may not " + Text.listed(account.getValue()),
                    "kubectl apply the roles of manifests/base, or of the chart, of this release"));
  }

  private Stream<Diagnosis> runtimes() {
    return patient.nodes().entrySet().stream()
        .filter(node -> Runtimes.withoutCdi(node.getValue().runtime()))
        .map(
            node ->
                new Diagnosis(
                    Complaint.RUNTIME_WITHOUT_CDI,
                    "node " + node.getKey(),
                    "container runtime %s has no CDI: pods would run without their GPUs"
                        .formatted(node.getValue().runtime()),
                    "use " + Runtimes.WITH_CDI));
  }
}
