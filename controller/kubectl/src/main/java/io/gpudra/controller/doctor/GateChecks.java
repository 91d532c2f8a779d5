package io.gpudra.controller.doctor;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.doctor.InstallationState.Lease;
import io.gpudra.controller.doctor.InstallationState.Member;
import io.gpudra.controller.gate.GateName;
import io.gpudra.crds.text.ListText;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks that scheduling gates are removed, and that nothing else of pods is changed. */
record GateChecks(InstallationState installationState) {
  static final String POLICIES = "admission policies";

  /** The first version with ValidatingAdmissionPolicies of v1. */
  static final int FIRST_WITH_POLICIES = 30;

  private static final String REMEDY =
      "run all controllers with --gates (chart: gates.enabled), or delete these pods and take the"
          + " gate out of their templates";

  Stream<Diagnosis> diagnoses() {
    return Stream.of(gatedPods(), policy()).flatMap(Optional::stream);
  }

  private Stream<Member> controllers() {
    return installationState.controllers().stream()
        .filter(member -> member.driverName().equals(installationState.driverName()));
  }

  private Optional<Diagnosis> gatedPods() {
    String gate = new GateName(installationState.driverName()).own();
    ImmutableList<String> gated =
        installationState.userView().objects().pods().stream()
            .filter(pod -> pod.scheduling().gates().contains(gate))
            .map(pod -> pod.facts().ref().toString())
            .collect(toImmutableList());
    return gated.isEmpty() || !installationState.mayRead(PodChecks.CONTROLLERS)
        ? Optional.empty()
        : withoutGates()
            .map(
                why ->
                    new Diagnosis(
                        ProblemKind.GATE_WITHOUT_CONTROLLER,
                        "scheduling gate " + gate,
                        "%s; these pods wait: %s".formatted(why, ListText.of(gated)),
                        REMEDY));
  }

  /** The reason why no controller removes gates. */
  private Optional<String> withoutGates() {
    if (controllers().noneMatch(Member::gates)) {
      return Optional.of("no controller runs with --gates");
    }
    return controllers()
        .filter(this::leads)
        .filter(member -> !member.gates())
        .map(member -> "controller %s leads without --gates".formatted(member.ref()))
        .findFirst();
  }

  /** The holder of the lease has the name of its pod and the number of its process. */
  private boolean leads(Member member) {
    return installationState
        .lease()
        .map(Lease::holder)
        .filter(holder -> holder.startsWith(member.name() + "_"))
        .isPresent();
  }

  private Optional<Diagnosis> policy() {
    return installationState.server().minor() < FIRST_WITH_POLICIES
            || installationState.gatesPolicy()
            || controllers().noneMatch(Member::gates)
            || !installationState.mayRead(POLICIES)
        ? Optional.empty()
        : Optional.of(
            new Diagnosis(
                ProblemKind.POLICY_MISSING,
                "controller",
                "it may patch pods, and no ValidatingAdmissionPolicy keeps that to scheduling"
                    + " gates",
                "kubectl apply -f manifests/components/gates/policy.yaml"
                    + " (chart: gates.unguarded=false)"));
  }
}
