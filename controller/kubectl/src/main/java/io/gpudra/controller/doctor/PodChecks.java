package io.gpudra.controller.doctor;

import io.gpudra.controller.doctor.InstallationState.Member;
import io.gpudra.crds.text.ListText;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that our own pods run and that a controller leads. */
record PodChecks(InstallationState installationState) {
  static final String CONTROLLERS = "gpudra-controller pods";

  /** Prefix of the reason. */
  static final String WAITS_FOR_DRIVER = "no GPU can be served yet: ";

  static final String DRIVER_REMEDY =
      "install the NVIDIA driver on the node, or set its path with --driver-root (chart:"
          + " kubeletPlugin.driverRoot)";

  Stream<Diagnosis> diagnoses() {
    return Stream.of(controller(), pluginPods(), versions()).flatMap(found -> found);
  }

  private Stream<Diagnosis> controller() {
    if (installationState.lease().filter(InstallationState.Lease::led).isPresent()) {
      return Stream.empty();
    }
    String why =
        installationState.controllers().stream()
            .filter(member -> !member.ready())
            .map(member -> "; pod %s: %s".formatted(member.ref(), member.trouble()))
            .collect(Collectors.joining());
    String lease =
        installationState
            .lease()
            .map(known -> "the lease is not renewed")
            .orElse("there is no lease");
    return installationState.mayRead(InstallationCollector.LEASES)
        ? Stream.of(
            new Diagnosis(
                ProblemKind.NO_CONTROLLER,
                "controller",
                "no controller leads: " + lease + why,
                "kubectl logs -n %s -l app.kubernetes.io/name=gpudra-controller --tail=20"
                    .formatted(namespace(installationState.controllers()))))
        : Stream.empty();
  }

  private static String namespace(List<Member> members) {
    return members.stream().map(Member::namespace).findFirst().orElse("gpudra");
  }

  static boolean waitsForDriver(Member plugin) {
    return !plugin.ready() && plugin.trouble().startsWith(WAITS_FOR_DRIVER);
  }

  /** The log of a plugin that waits for the GPU driver is more precise than its pod's status. */
  private Stream<Diagnosis> pluginPods() {
    return installationState.plugins().stream()
        .filter(member -> !member.ready())
        .map(
            member ->
                waitsForDriver(member)
                    ? new Diagnosis(
                        ProblemKind.GPU_DRIVER_NOT_FOUND,
                        "node " + member.node(),
                        "plugin %s waits: %s".formatted(member.ref(), member.trouble()),
                        DRIVER_REMEDY)
                    : new Diagnosis(
                        ProblemKind.NO_INVENTORY,
                        "node " + member.node(),
                        "plugin %s is not ready: %s".formatted(member.ref(), member.trouble()),
                        "kubectl logs -n %s %s --tail=20"
                            .formatted(member.namespace(), member.name())));
  }

  private Stream<Diagnosis> versions() {
    Set<String> versions =
        Stream.concat(
                installationState.controllers().stream(), installationState.plugins().stream())
            .map(Member::version)
            .filter(version -> !version.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    return versions.size() < 2
        ? Stream.empty()
        : Stream.of(
            new Diagnosis(
                ProblemKind.VERSIONS_DIFFER,
                "controller and plugins",
                "run as " + ListText.of(versions),
                "finish the roll-out: kubectl get pods -A -l"
                    + " 'app.kubernetes.io/name in (gpudra-controller,gpudra-kubeletplugin)'"));
  }
}
