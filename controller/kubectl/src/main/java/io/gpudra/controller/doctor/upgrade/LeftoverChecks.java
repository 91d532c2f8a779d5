package io.gpudra.controller.doctor.upgrade;

import io.gpudra.controller.doctor.upgrade.UpgradeStep.StepKind;
import java.util.stream.Stream;

/** The remains of steps that were left out before the API server was replaced. */
record LeftoverChecks(UpgradeState state) {
  /** The kubelet makes the file again. */
  static final String REMOVAL = "rm -f /var/lib/kubelet/dra_manager_state";

  Stream<UpgradeStep> steps() {
    return Stream.of(lists(), podTemplates(), pods(), kubelets(), api()).flatMap(steps -> steps);
  }

  private Stream<UpgradeStep> lists() {
    return state.unreadable().stream()
        .map(
            plural ->
                new UpgradeStep(
                    StepKind.LIST_UNREADABLE,
                    plural,
                    "cannot be listed: etcd has objects of v1alpha2; with them, the command deletes"
                        + " later ones of the kind",
                    "etcdctl del --prefix /registry/" + plural + "/"));
  }

  private Stream<UpgradeStep> podTemplates() {
    return Stream.concat(
            state.replicated(),
            state.roots(
                StoredKind.CRON_JOB,
                StoredKind.JOB,
                StoredKind.DAEMON_SET,
                StoredKind.POD_TEMPLATE))
        .flatMap(one -> nameless(one, "apply the translation of", "kubectl apply -f new/"));
  }

  private Stream<UpgradeStep> pods() {
    return state
        .roots(StoredKind.POD)
        .flatMap(pod -> nameless(pod, "stop", pod.kubectl("delete", "")));
  }

  private static Stream<UpgradeStep> nameless(StoredObject object, String verb, String command) {
    String entries = object.namelessClaims();
    return entries.isEmpty()
        ? Stream.empty()
        : Stream.of(
            object.stepUnlessOwned(
                StepKind.REFERENCE_VANISHED,
                "entry %s names no claim any more".formatted(entries),
                verb,
                command));
  }

  private Stream<UpgradeStep> kubelets() {
    return state
        .classicNodes()
        .filter(node -> !node.hasCondition("Ready"))
        .map(
            node ->
                node.step(
                    StepKind.KUBELET_DOES_NOT_START,
                    "is not ready; later kubelets do not start on the state file of the last one",
                    "on the node: " + REMOVAL));
  }

  private Stream<UpgradeStep> api() {
    return state.served()
        ? Stream.empty()
        : Stream.of(
            new UpgradeStep(
                StepKind.API_OFF,
                "resource.k8s.io",
                "is not served before 1.34: no GPU pods until then, and claims that are left"
                    + " cannot be seen",
                "etcdctl get --prefix --keys-only /registry/resourceclaims/, which prints nothing"));
  }
}
