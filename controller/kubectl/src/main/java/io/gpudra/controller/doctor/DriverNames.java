package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.text.ListText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that classes, controller and plugins use the same driver name. */
record DriverNames(InstallationState installationState) {

  Stream<Diagnosis> diagnoses() {
    Set<String> running = names(installationState.controllers());
    return running.isEmpty()
        ? Stream.empty()
        : Stream.of(classes(running), strangers(running), plugins(running)).flatMap(all -> all);
  }

  private ClusterObjects reading() {
    return installationState.userView().cluster().reading();
  }

  private Stream<Diagnosis> classes(Set<String> running) {
    ImmutableCollection<ClassFacts> all = reading().classes().values();
    boolean served = all.stream().anyMatch(one -> running.contains(one.driverName()));
    return served || all.isEmpty()
        ? Stream.empty()
        : Stream.of(
            mismatch(
                "ResourceClasses",
                "name %s; the controller serves %s"
                    .formatted(ListText.of(driversOf(all)), ListText.of(running))));
  }

  private static Set<String> driversOf(ImmutableCollection<ClassFacts> classes) {
    return classes.stream()
        .map(ClassFacts::driverName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** A class that no driver serves is a problem only if a claim of it waits. */
  private Stream<Diagnosis> strangers(Set<String> running) {
    return reading().claims().stream()
        .filter(claim -> claim.allocation().isEmpty())
        .flatMap(claim -> Optional.ofNullable(reading().classes().get(claim.className())).stream())
        .filter(found -> !found.structured() && mistaken(found.driverName(), running))
        .distinct()
        .map(
            found ->
                mismatch(
                    "ResourceClass " + found.name(),
                    "names driver %s; the controller serves %s"
                        .formatted(found.driverName(), ListText.of(running))));
  }

  /** A typo in our name is similar to it; names of other drivers are not. */
  private static boolean mistaken(String name, Set<String> running) {
    return !running.contains(name)
        && (NameSuggestion.nearest(name, ImmutableSet.copyOf(running)).isPresent()
            || running.stream().map(DriverNames::domain).anyMatch(domain(name)::equals));
  }

  private static String domain(String name) {
    return name.substring(name.indexOf('.') + 1);
  }

  private Stream<Diagnosis> plugins(Set<String> running) {
    Set<String> theirs = names(installationState.plugins());
    return theirs.isEmpty() || theirs.equals(running)
        ? Stream.empty()
        : Stream.of(
            mismatch(
                "plugins",
                "serve %s; the controller serves %s"
                    .formatted(ListText.of(theirs), ListText.of(running))));
  }

  private static Diagnosis mismatch(String subject, String what) {
    return new Diagnosis(
        ProblemKind.DRIVER_NAME_MISMATCH,
        subject,
        what,
        "use one name for controller, plugins and ResourceClasses: --driver-name, the chart's"
            + " driverName, and driverName of the classes");
  }

  private static Set<String> names(List<InstallationState.Member> members) {
    return members.stream()
        .map(InstallationState.Member::driverName)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
