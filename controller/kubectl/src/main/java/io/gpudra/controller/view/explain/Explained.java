package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.kube.mapping.PodSight.Scheduling;
import java.time.Instant;
import java.util.Optional;

/**
 * Why something waits, or what it has.
 *
 * @param node of a pod: where it is
 * @param phase of a pod, such as {@code Pending}
 * @param scheduling of a pod without a node: what its scheduler is told of it, and says of it
 * @param claims those of a pod in its order, or the one that is asked about
 * @param waiting absent when no device is waited for, or something else comes first
 * @param notes sentences about what else matters
 */
public record Explained(
    Asked.Kind kind,
    String namespace,
    String name,
    Optional<String> node,
    Optional<String> phase,
    Optional<Scheduling> scheduling,
    ImmutableList<ClaimStory> claims,
    Optional<Waiting> waiting,
    ImmutableList<String> notes) {

  /** Whether a claim of it is not granted yet. */
  public boolean waits() {
    return claims.stream().anyMatch(claim -> claim.state() == ClaimStory.State.WAITING);
  }

  /** Whether somebody must change something: waiting alone does not help. */
  public boolean wrong() {
    return claims.stream().anyMatch(claim -> !claim.problems().isEmpty() || claim.hopeless());
  }

  /**
   * For people, a sentence or so each.
   *
   * @param now for how long something has lasted
   */
  public ImmutableList<String> lines(Instant now) {
    return new Sentences(this, now).lines();
  }

  /** A sentence for each claim and node that refuses it. */
  public ImmutableList<String> nodeLines() {
    return claims.stream()
        .flatMap(claim -> ClaimSentences.nodes(claim).stream())
        .collect(ImmutableList.toImmutableList());
  }
}
