package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableList;
import java.util.stream.Stream;

/** Knows what healthy looks like; every rule is a function of what was found. */
final class Doctor {
  private Doctor() {}

  /** Everything that is wrong but with claims, what others follow from first. */
  static ImmutableList<Diagnosis> of(Patient patient) {
    return Stream.of(
            new ControlPlane(patient).diagnoses(),
            new DriverNames(patient).diagnoses(),
            new Members(patient).diagnoses(),
            new Nodes(patient).diagnoses())
        .flatMap(found -> found)
        .collect(ImmutableList.toImmutableList());
  }
}
