package io.gpudra.controller.doctor;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ObjectLookup;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Infers from pods and claims whether a component runs with the feature gate: false if it did not
 * do what the gate enables, empty if unknown.
 */
record FeatureGateEvidence(UserView userView) {

  /** Time limit for a working component. */
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  /** The controller manager creates claims from templates at once. */
  Optional<Boolean> ofControllers() {
    boolean idle =
        waiting()
            .flatMap(pod -> pod.facts().claims().stream())
            .anyMatch(entry -> entry.resolution() instanceof Resolution.NotYet);
    return idle ? Optional.of(false) : Optional.empty();
  }

  /** The scheduler creates a PodSchedulingContext for a pod with pending claims. */
  Optional<Boolean> ofScheduler() {
    Set<PodRef> known = new HashSet<>();
    userView.objects().contexts().forEach(context -> known.add(context.pod()));
    ObjectLookup lookup = new ObjectLookup(userView);
    boolean ignores =
        userView.objects().pods().stream()
            .filter(pod -> pod.node().isPresent() && !pod.facts().deleting())
            .anyMatch(pod -> waitsForPod(pod, lookup));
    boolean idle =
        waiting()
            .filter(pod -> pod.node().isEmpty() && !known.contains(pod.facts().ref()))
            .filter(pod -> isUnscheduled(pod.scheduling()))
            .anyMatch(pod -> waitsForPod(pod, lookup));
    return ignores || idle ? Optional.of(false) : Optional.empty();
  }

  /** Whether kube-scheduler should have tried to schedule the pod, but has not reported a try. */
  private static boolean isUnscheduled(Scheduling pod) {
    return pod.gates().isEmpty() && pod.isOfDefaultScheduler() && pod.refusal().isEmpty();
  }

  private Stream<PodView> waiting() {
    return userView.objects().pods().stream()
        .filter(pod -> !pod.facts().deleting())
        .filter(pod -> pod.created().isBefore(userView.now().minus(TIMEOUT)));
  }

  /** Whether all claims of the pod exist, and one is to be allocated for the pod. */
  private static boolean waitsForPod(PodView pod, ObjectLookup lookup) {
    return !pod.facts().claims().isEmpty()
        && pod.facts().claims().stream().allMatch(entry -> claim(entry, lookup).isPresent())
        && pod.facts().claims().stream()
            .flatMap(entry -> claim(entry, lookup).stream())
            .anyMatch(
                claim ->
                    claim.mode() == ClaimFacts.Mode.DELAYED
                        && claim.allocation().isEmpty()
                        && !claim.hasBuiltinFinalizer());
  }

  private static Optional<ClaimFacts> claim(PodClaim entry, ObjectLookup lookup) {
    return entry.resolution() instanceof Resolution.ResolvedTo to
        ? lookup.claim(to.claim())
        : Optional.empty();
  }
}
