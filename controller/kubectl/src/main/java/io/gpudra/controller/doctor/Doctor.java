package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableList;
import java.util.stream.Stream;

/** The rules of a healthy installation; each is a function of the examined state. */
final class Doctor {
  private Doctor() {}

  /** All problems except those of claims, causes before their effects. */
  static ImmutableList<Diagnosis> of(InstallationState installationState) {
    return Stream.of(
            new ControlPlane(installationState).diagnoses(),
            new DriverNames(installationState).diagnoses(),
            new PodChecks(installationState).diagnoses(),
            new GateChecks(installationState).diagnoses(),
            new NodeChecks(installationState).diagnoses())
        .flatMap(found -> found)
        .collect(ImmutableList.toImmutableList());
  }
}
