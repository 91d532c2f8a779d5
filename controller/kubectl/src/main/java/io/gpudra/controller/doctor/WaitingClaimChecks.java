package io.gpudra.controller.doctor;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.controller.view.explain.SchedulingSentences;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Inventory;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds claims that cannot be allocated now, each evaluated as if no other claim waited, and pods
 * that the scheduler refuses although each of their claims fits a node.
 *
 * @param deadline after which no further claim is evaluated
 */
record WaitingClaimChecks(UserView userView, QueryDeadline deadline) {
  /** The maximum number of claims, and of pods: further ones would mostly have the same reasons. */
  private static final int MAX = 100;

  /** Longer than an attempt to schedule a pod takes. */
  private static final Duration ATTEMPT = Duration.ofMinutes(1);

  InstallationCollector.Result result() {
    ImmutableList<ClaimFacts> waiting =
        userView.cluster().reading().claims().stream()
            .filter(
                claim ->
                    claim.allocation().isEmpty() && !claim.ending() && !claim.hasBuiltinFinalizer())
            .limit(MAX)
            .collect(ImmutableList.toImmutableList());
    ImmutableList.Builder<Diagnosis> diagnoses = ImmutableList.builder();
    Set<ClaimRef> fitting = new HashSet<>();
    int judged = 0;
    while (judged < waiting.size() && !deadline.isOver()) {
      ClaimFacts claim = waiting.get(judged);
      diagnosis(claim).ifPresentOrElse(diagnoses::add, () -> fitting.add(claim.ref()));
      judged++;
    }
    refusedPods(fitting).forEach(diagnoses::add);
    return new InstallationCollector.Result(diagnoses.build(), unjudged(waiting.size() - judged));
  }

  private static ImmutableList<String> unjudged(int claims) {
    return claims == 0
        ? ImmutableList.of()
        : ImmutableList.of("%d waiting claims: time limit reached".formatted(claims));
  }

  /** Each attempt of the scheduler ends with words about others, so new pods do not count. */
  private Stream<Diagnosis> refusedPods(Set<ClaimRef> fitting) {
    Instant then = userView.now().minus(ATTEMPT);
    return userView.objects().pods().stream()
        .filter(pod -> pod.node().isEmpty() && !pod.facts().deleting())
        .filter(pod -> pod.scheduling().refusal().isPresent() && pod.created().isBefore(then))
        .filter(pod -> pod.facts().claimRefs().stream().anyMatch(fitting::contains))
        .limit(MAX)
        .map(
            pod ->
                new Diagnosis(
                    ProblemKind.SCHEDULER_REFUSES,
                    "pod " + pod.facts().ref(),
                    new SchedulingSentences(pod.scheduling()).lines().collect(joining("; ")),
                    "make room on a node, or change the pod: kubectl gpudra explain pod/%s -n %s"
                        .formatted(pod.facts().ref().name(), pod.facts().ref().namespace())));
  }

  private Optional<Diagnosis> diagnosis(ClaimFacts claim) {
    ClassFacts found = userView.cluster().reading().classes().get(claim.className());
    if (found == null) {
      return refused(claim, PodBlocker.classAbsent("", claim).reason());
    }
    return found.driverName().equals(driver().name()) && !found.structured()
        ? diagnosis(claim, found)
        : Optional.empty();
  }

  private GpuDriver driver() {
    return userView.cluster().driver();
  }

  private Optional<Diagnosis> diagnosis(ClaimFacts claim, ClassFacts found) {
    DriverParameters<GpuRequest> parameters = driver().parameters(found, claim);
    if (parameters instanceof DriverParameters.Ready<GpuRequest> ready) {
      return unplaced(claim, found, ready.value());
    }
    return refused(claim, ((DriverParameters.Refused<GpuRequest>) parameters).reason());
  }

  private Optional<Diagnosis> refused(ClaimFacts claim, UnsuitableReason reason) {
    return userView.knows(reason)
        ? Optional.of(
            about(
                ProblemKind.CLAIM_REFUSED,
                claim,
                reason.text(NamespaceAudience.READER_OF_ALL),
                reason.kind()))
        : Optional.empty();
  }

  private Optional<Diagnosis> unplaced(ClaimFacts claim, ClassFacts found, GpuRequest wanted) {
    ImmutableSet<String> nodes =
        userView.cluster().reading().inventories().stream()
            .filter(one -> !(one.service() instanceof Inventory.Service.Absent))
            .map(one -> one.node().name())
            .collect(ImmutableSet.toImmutableSet());
    if (nodes.isEmpty() || wanted.insideEntry().isPresent()) {
      return Optional.empty();
    }
    ImmutableMap<String, UnsuitableReason> refusals =
        driver()
            .suitability(ImmutableList.of(new PendingClaim<>(claim, found, wanted)), nodes)
            .of(claim.uid());
    return refusals.size() < nodes.size()
        ? Optional.empty()
        : Optional.of(everywhere(claim, found, UnschedulableSummary.of(refusals, 0)));
  }

  private Diagnosis everywhere(ClaimFacts claim, ClassFacts found, UnschedulableSummary why) {
    String text =
        why.text(NamespaceAudience.READER_OF_ALL, () -> driver().unsatisfiable(found, claim));
    return about(
        why.hopeless() ? ProblemKind.NOTHING_MATCHES : ProblemKind.ALL_IN_USE,
        claim,
        text,
        why.nearest().orElseThrow().reason().kind());
  }

  private static Diagnosis about(
      ProblemKind problemKind, ClaimFacts claim, String what, UnsuitableReason.Kind kind) {
    String remedy =
        kind.remedy()
            .replace("<namespace>", claim.ref().namespace())
            .replace("<claim>", claim.ref().name());
    return new Diagnosis(problemKind, "claim " + claim.ref(), what, remedy);
  }
}
