package io.gpudra.controller.dra.telling;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFacts;
import io.gpudra.controller.dra.ClaimFacts.Mode;
import io.gpudra.controller.dra.Handle;
import io.gpudra.controller.dra.Reports;
import io.gpudra.controller.dra.Reports.Subject;
import io.gpudra.controller.dra.Reports.Warning;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.Reason;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Collectors;

/** What people are told when a claim waits or fails: on the claim, and the same on its pod. */
public final class Warnings {
  private static final int MOST_KNOWN = 128;

  private final Reports reports;

  /** By identity. */
  private final Cache<ImmutableMap<String, Reason>, Words> known =
      CacheBuilder.newBuilder().weakKeys().maximumSize(MOST_KNOWN).build();

  /** A refusal for people; {@code kinds} are the reasons in it, one of each label. */
  private record Words(
      String reason, ImmutableSet<String> causes, String message, ImmutableList<Reason> kinds) {}

  public Warnings(Reports reports) {
    this.reports = reports;
  }

  /**
   * No node fits all of a pod's claims.
   *
   * @param refusals nodes that do not fit this one
   * @param fitting how many would fit this one
   * @param pinning claims that tie the pod to a node, named when the others fail there
   */
  public void refused(
      ClaimFacts claim,
      PodRef pod,
      ImmutableMap<String, Reason> refusals,
      int fitting,
      ImmutableList<ClaimFacts> pinning) {
    refused(claim, Optional.of(pod), refusals, fitting, pins(refusals, pinning));
  }

  /**
   * No node fits an Immediate claim. Thousands of claims are refused with the same object, which
   * speaks of thousands of nodes: it is put into words once.
   */
  public void refused(ClaimFacts claim, ImmutableMap<String, Reason> refusals) {
    Words words = known.getIfPresent(refusals);
    if (words == null) {
      words = words(refusals, 0);
      known.put(refusals, words);
    }
    tell(claim, Optional.empty(), words, "");
  }

  private void refused(
      ClaimFacts claim,
      Optional<PodRef> pod,
      ImmutableMap<String, Reason> refusals,
      int fitting,
      String addition) {
    tell(claim, pod, words(refusals, fitting), addition);
  }

  private void tell(ClaimFacts claim, Optional<PodRef> pod, Words words, String addition) {
    words.kinds().forEach(reports::refused);
    tell(claim, pod, words.reason(), words.causes(), words.message() + addition);
  }

  private static Words words(ImmutableMap<String, Reason> refusals, int fitting) {
    Collection<Reason> kinds =
        refusals.values().stream()
            .collect(Collectors.toMap(Reason::label, reason -> reason, (one, other) -> one))
            .values();
    boolean hopeless = fitting == 0 && Explanation.hopeless(refusals);
    String message =
        hopeless
            ? "no device of the cluster satisfies the claim: "
                + Explanation.nearest(refusals).orElseThrow()
            : Explanation.text(refusals, fitting);
    String reason = hopeless ? "NoMatchingDevice" : "NoFreeDevice";
    return new Words(reason, Explanation.labels(refusals), message, ImmutableList.copyOf(kinds));
  }

  /** A user's object is missing or wrong; the pod waits for it. */
  public void obstacle(Obstacle obstacle, PodRef pod) {
    obstacle(obstacle, Optional.of(pod));
  }

  /** A user's object is missing or wrong; an Immediate claim waits for it. */
  public void obstacle(Obstacle obstacle) {
    obstacle(obstacle, Optional.empty());
  }

  private void obstacle(Obstacle obstacle, Optional<PodRef> pod) {
    Optional<String> reason =
        switch (obstacle.kind()) {
          case NOT_YET, MISSING, NOT_OWNED, ENDING -> Optional.empty();
          case TOO_MANY -> Optional.of("NoMatchingDevice");
          case CLASS_ABSENT -> Optional.of("ClassNotFound");
          case PARAMETERS_MISSING -> Optional.of("ParametersNotFound");
          case PARAMETERS_INVALID -> Optional.of("InvalidParameters");
        };
    if (reason.isPresent() && obstacle.claim().isPresent()) {
      ImmutableSet<String> causes = ImmutableSet.copyOf(obstacle.texts());
      String message = String.join("\n", obstacle.texts());
      tell(obstacle.claim().get(), pod, reason.get(), causes, message);
    }
  }

  /** A grant that was decided could not be written. */
  public void lost(ClaimFacts claim, Loss loss, Optional<PodRef> pod) {
    tell(claim, pod, "AllocationFailed", ImmutableSet.of(loss.name()), loss.text());
  }

  /** A release is refused by the server. */
  public void releaseRejected(ClaimFacts claim) {
    tell(
        claim,
        Optional.empty(),
        "DeallocationFailed",
        ImmutableSet.of(),
        "the API server refuses to clear the allocation");
  }

  /** The server refuses to let our finalizer go. */
  public void finalizerKept(ClaimFacts claim) {
    tell(
        claim,
        Optional.empty(),
        "DeallocationFailed",
        ImmutableSet.of(),
        "the API server refuses to drop the driver's finalizer");
  }

  private void tell(
      ClaimFacts claim,
      Optional<PodRef> pod,
      String reason,
      ImmutableSet<String> causes,
      String message) {
    Subject onClaim = new Subject.OnClaim(claim.ref(), claim.uid());
    reports.warn(new Warning(onClaim, reason, causes, message));
    pod.ifPresent(
        ref ->
            reports.warn(
                new Warning(
                    new Subject.OnPod(ref),
                    reason,
                    causes,
                    "claim " + claim.ref() + ": " + message)));
  }

  private static String pins(
      ImmutableMap<String, Reason> refusals, ImmutableList<ClaimFacts> pinning) {
    return pinning.stream()
        .flatMap(claim -> pin(claim, refusals).stream())
        .map(text -> "; " + text)
        .collect(Collectors.joining());
  }

  private static Optional<String> pin(ClaimFacts claim, ImmutableMap<String, Reason> refusals) {
    return claim
        .allocation()
        .flatMap(ClaimFacts.Granted::ours)
        .flatMap(Handle::node)
        .filter(refusals::containsKey)
        .map(
            node ->
                (claim.mode() == Mode.IMMEDIATE ? "Immediate claim " : "claim ")
                    + claim.ref()
                    + " ties the pod to "
                    + node);
  }
}
