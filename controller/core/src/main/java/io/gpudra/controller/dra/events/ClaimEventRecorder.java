package io.gpudra.controller.dra.events;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The events about a claim that waits or fails, on the claim and on its pod. Also passes on results
 * that are only measured.
 */
public final class ClaimEventRecorder {
  private final ReportSink reports;
  private final Function<ClaimFacts, ImmutableList<String>> unsatisfiable;

  /** By identity, as long as the driver keeps the object. */
  private final Cache<ImmutableMap<String, UnsuitableReason>, UnschedulableSummary> known =
      CacheBuilder.newBuilder().weakKeys().build();

  /**
   * A recorder without events.
   *
   * @param unsatisfiable the known reasons why no device could ever serve a claim, a sentence each
   */
  public ClaimEventRecorder(
      ReportSink reports, Function<ClaimFacts, ImmutableList<String>> unsatisfiable) {
    this.reports = reports;
    this.unsatisfiable = unsatisfiable;
  }

  /**
   * No node fits all of a pod's claims.
   *
   * @param refusals nodes that do not fit this claim
   * @param fitting the number of nodes that fit this claim
   * @param pinning claims that tie the pod to a node; the event names them when the others fail
   *     there
   */
  public void refused(
      ClaimFacts claim,
      PodRef pod,
      ImmutableMap<String, UnsuitableReason> refusals,
      int fitting,
      ImmutableList<ClaimFacts> pinning) {
    UnschedulableSummary why = UnschedulableSummary.of(refusals, fitting);
    refused(claim, Optional.of(pod), why, pins(refusals, pinning));
  }

  /**
   * No node fits an Immediate claim. Thousands of claims share one object with the refusals of
   * thousands of nodes, so it is summarized once.
   */
  public void refused(ClaimFacts claim, ImmutableMap<String, UnsuitableReason> refusals) {
    UnschedulableSummary why = known.getIfPresent(refusals);
    if (why == null) {
      why = UnschedulableSummary.of(refusals, 0);
      known.put(refusals, why);
    }
    refused(claim, Optional.empty(), why, "");
  }

  private void refused(
      ClaimFacts claim, Optional<PodRef> pod, UnschedulableSummary why, String addition) {
    why.kinds().forEach(reports::refused);
    Supplier<String> message = () -> text(claim, why) + addition;
    send(claim, pod, new Warning(on(claim), why.warning(), why.labels(), message, why.bytes()));
  }

  private String text(ClaimFacts claim, UnschedulableSummary why) {
    return why.text(
        new NamespaceAudience(claim.ref().namespace()), () -> unsatisfiable.apply(claim));
  }

  /**
   * Limits of the namespace keep claims of a pod, or an Immediate one, from devices.
   *
   * @param limits their names
   */
  public void limited(
      ImmutableList<ClaimFacts> claims,
      Optional<PodRef> pod,
      UnsuitableReason why,
      ImmutableSet<String> limits) {
    reports.refused(why.kind());
    for (ClaimFacts claim : claims) {
      NamespaceAudience reader = new NamespaceAudience(claim.ref().namespace());
      String event = why.kind().event().orElseThrow();
      Supplier<String> text = () -> why.text(reader);
      send(claim, pod, new Warning(on(claim), event, limits, text, why.bytes()));
    }
  }

  /** A user's object is missing or wrong; the pod waits for it. */
  public void obstacle(PodBlocker podBlocker, PodRef pod) {
    obstacle(podBlocker, Optional.of(pod));
  }

  /** A user's object is missing or wrong; an Immediate claim waits for it. */
  public void obstacle(PodBlocker podBlocker) {
    obstacle(podBlocker, Optional.empty());
  }

  private void obstacle(PodBlocker podBlocker, Optional<PodRef> pod) {
    UnsuitableReason reason = podBlocker.reason();
    reason
        .kind()
        .event()
        .ifPresent(
            event -> podBlocker.claim().ifPresent(claim -> obstacle(claim, pod, event, reason)));
  }

  private void obstacle(
      ClaimFacts claim, Optional<PodRef> pod, String event, UnsuitableReason reason) {
    ImmutableList<String> sentences =
        reason.sentences(new NamespaceAudience(claim.ref().namespace()));
    String text = String.join("\n", sentences);
    send(claim, pod, new Warning(on(claim), event, ImmutableSet.copyOf(sentences), text));
  }

  /**
   * A grant could not be written.
   *
   * @param kind of {@link UnsuitableReason.Scope#WRITE}
   */
  public void lost(ClaimFacts claim, UnsuitableReason.Kind kind, Optional<PodRef> pod) {
    String event = kind.event().orElseThrow();
    send(claim, pod, new Warning(on(claim), event, ImmutableSet.of(kind.label()), kind.phrase()));
  }

  /** See {@link ReportSink#granted}. */
  public void granted(Mode mode, ClaimFacts claim, Instant asked) {
    reports.granted(mode, claim, asked);
  }

  /** See {@link ReportSink#releasing}. */
  public void releasing(ClaimFacts claim) {
    reports.releasing(claim.uid());
  }

  /** The server rejects a release. */
  public void releaseRejected(ClaimFacts claim) {
    deallocationFailed(claim, "the API server refuses to clear the allocation");
  }

  /** The server rejects the removal of our finalizer. */
  public void finalizerKept(ClaimFacts claim) {
    deallocationFailed(claim, "the API server refuses to drop the driver's finalizer");
  }

  private void deallocationFailed(ClaimFacts claim, String what) {
    reports.warn(new Warning(on(claim), "DeallocationFailed", ImmutableSet.of(), what));
  }

  private void send(ClaimFacts claim, Optional<PodRef> pod, Warning onClaim) {
    reports.warn(onClaim);
    pod.ifPresent(
        ref ->
            reports.warn(
                new Warning(
                    new Subject.OnPod(ref),
                    onClaim.reason(),
                    onClaim.causes(),
                    () -> "claim " + claim.ref() + ": " + onClaim.message(),
                    onClaim.bytes())));
  }

  private static Subject on(ClaimFacts claim) {
    return new Subject.OnClaim(claim.ref(), claim.uid());
  }

  private static String pins(
      ImmutableMap<String, UnsuitableReason> refusals, ImmutableList<ClaimFacts> pinning) {
    return pinning.stream()
        .flatMap(claim -> pin(claim, refusals).stream())
        .map(text -> "; " + text)
        .collect(Collectors.joining());
  }

  private static Optional<String> pin(
      ClaimFacts claim, ImmutableMap<String, UnsuitableReason> refusals) {
    return claim
        .allocation()
        .flatMap(ClaimFacts.Granted::ours)
        .flatMap(ResourceHandle::node)
        .filter(refusals::containsKey)
        .map(
            node ->
                (claim.mode() == Mode.IMMEDIATE ? "Immediate claim " : "claim ")
                    + claim.ref()
                    + " ties the pod to "
                    + node);
  }
}
