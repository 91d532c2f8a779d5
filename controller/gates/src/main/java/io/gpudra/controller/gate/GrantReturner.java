package io.gpudra.controller.gate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Gives back the grants of pods for which the scheduler finds no room on the node. */
public final class GrantReturner {
  private static final int ATTEMPTS = 5;

  private final ClaimStore claims;
  private final GatedPods pods;
  private final PacedDeadlines refusals;
  private final LeftOutNodes leftOut;

  /**
   * Nothing was refused yet.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public GrantReturner(ClaimStore claims, GatedPods pods, LongSupplier nanoTime) {
    this.claims = claims;
    this.pods = pods;
    this.refusals = new PacedDeadlines(ControllerDelays.MISJUDGED, Duration.ZERO, nanoTime);
    this.leftOut = new LeftOutNodes(nanoTime);
  }

  /** The scheduler's refusal may be as old as its view of the grant: the time it must last. */
  public Duration left(GatedPod pod) {
    return refusals.left(pod.alone(), pod.ref());
  }

  /** The refusal of the pod is over. */
  public void forget(ObjectKey pod) {
    refusals.forget(pod);
  }

  /** The nodes to leave out for pods of this namespace and size. */
  public ImmutableSet<String> leftOut(String namespace, ImmutableMap<String, Long> size) {
    return leftOut.of(namespace, size);
  }

  /** The number of pods whose refusal must last. */
  public int refusals() {
    return refusals.size();
  }

  /** The number of nodes that are left out, for each size of pod. */
  public int leftOutNodes() {
    return leftOut.size();
  }

  ImmutableMap<String, IntSupplier> entries() {
    return ImmutableMap.of("gateRefusals", this::refusals, "leftOutNodes", this::leftOutNodes);
  }

  /**
   * Gives back what the pod got on a node that has no room for it, and leaves the node out; unless
   * the pod has a node by now: the watch may be behind.
   *
   * @param reports receives what was given back
   * @return whether nothing is left to request
   */
  public boolean giveBackMisjudged(
      GatedPod pod, Optional<String> node, ImmutableList<ClaimFacts> granted, GateReports reports)
      throws ApiUnavailableException {
    if (!pods.awaitsNode(pod.ref())) {
      return true;
    }
    boolean given = giveBack(granted, pod.ref());
    node.ifPresent(
        without -> {
          leftOut.add(without, pod.ref().namespace(), pod.demand().size());
          reports.returned(pod, without, granted);
        });
    return given;
  }

  /**
   * Requests the deallocation of these claims, unless another pod uses them by now; the claims' own
   * reconciler does the rest.
   *
   * @return whether nothing is left to request
   */
  boolean giveBack(ImmutableList<ClaimFacts> granted, PodRef user) throws ApiUnavailableException {
    boolean all = true;
    for (ClaimFacts claim : granted) {
      all &= request(claim.ref(), user);
    }
    return all;
  }

  /**
   * The same for a pod at the gate, unless its gate is gone by now: the watch may be behind, and
   * the pod may run.
   */
  boolean giveBackAtGate(ImmutableList<ClaimFacts> granted, PodRef user)
      throws ApiUnavailableException {
    return granted.isEmpty() || !pods.isGated(user) || giveBack(granted, user);
  }

  /**
   * The same for all claims of pods at the gate.
   *
   * @return when to give back what is left; empty if nothing is
   */
  public Optional<ReconcileResult> giveBackAtGates(ImmutableList<GatedPod> waiting)
      throws ApiUnavailableException {
    ImmutableList<GatedPod> holding =
        waiting.stream()
            .filter(pod -> pod.gated() && !returnable(pod).isEmpty())
            .collect(toImmutableList());
    ReturnBudget budget = new ReturnBudget();
    ImmutableList<GatedPod> now =
        holding.stream()
            .takeWhile(pod -> budget.take(returnable(pod).size()))
            .collect(toImmutableList());
    boolean all = true;
    for (GatedPod pod : now) {
      all &= giveBackAtGate(returnable(pod), pod.ref());
    }
    if (!all) {
      return Optional.of(ReconcileResult.again());
    }
    return holding.size() > now.size()
        ? Optional.of(ReconcileResult.firstAfter(ControllerDelays.GROUP_TURN))
        : Optional.empty();
  }

  private ImmutableList<ClaimFacts> returnable(GatedPod pod) {
    return pod.facts().claimRefs().stream()
        .flatMap(ref -> claims.get(ref).stream())
        .filter(claim -> GateSituation.canGiveBack(claim, pod.ref()))
        .collect(toImmutableList());
  }

  private boolean request(ClaimRef claim, PodRef user) throws ApiUnavailableException {
    WriteOutcome.Kind outcome = WriteOutcome.Kind.CONFLICT;
    for (int i = 0; i < ATTEMPTS && outcome == WriteOutcome.Kind.CONFLICT; i++) {
      Optional<ClaimFacts> now =
          claims.live(claim).filter(found -> GateSituation.canGiveBack(found, user));
      outcome =
          now.map(found -> claims.requestDeallocation(found).kind()).orElse(WriteOutcome.Kind.DONE);
    }
    return outcome == WriteOutcome.Kind.DONE || outcome == WriteOutcome.Kind.GONE;
  }
}
