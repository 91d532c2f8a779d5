package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import java.time.Instant;
import java.util.Optional;

/**
 * Why a pod or a claim waits, or which devices it has.
 *
 * @param node of a pod
 * @param phase of a pod, such as {@code Pending}
 * @param scheduling of a pod without a node: its gates, its scheduler and the scheduler's message
 * @param claims the pod's claims in its order, or the requested claim
 * @param group of a pod without a node
 * @param waiting empty if the object does not wait for devices, or has other problems first
 * @param notes further sentences
 */
public record ExplainResult(
    ExplainTarget.Kind kind,
    String namespace,
    String name,
    Optional<String> node,
    Optional<String> phase,
    Optional<Scheduling> scheduling,
    ImmutableList<ClaimDetails> claims,
    Optional<GroupDetails> group,
    Optional<WaitDetails> waiting,
    ImmutableList<String> notes) {

  /** Whether one of the claims is not allocated yet. */
  public boolean waits() {
    return claims.stream().anyMatch(claim -> claim.state() == ClaimDetails.State.WAITING);
  }

  /** Whether an error must be fixed: waiting alone does not help. */
  public boolean wrong() {
    return claims.stream().anyMatch(claim -> !claim.problems().isEmpty() || claim.hopeless());
  }

  /**
   * The explanation as text, about one sentence a line.
   *
   * @param now the time from which ages are computed
   */
  public ImmutableList<String> lines(Instant now) {
    return new ExplainSentences(this, now).lines();
  }

  /** A sentence for each claim and each node that does not fit the claim. */
  public ImmutableList<String> nodeLines() {
    return claims.stream()
        .flatMap(claim -> ClaimSentences.nodes(claim).stream())
        .collect(ImmutableList.toImmutableList());
  }
}
