package io.gpudra.controller.gate;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Gives back the grants of members of groups for which the scheduler finds no room. */
final class MisjudgedMembers<P> {
  private final GateFactsReader<P> facts;
  private final GrantReturner returner;
  private final GateReports reports;

  /** By group, the members that wait for their refusal to last. */
  private final Map<ObjectKey, ImmutableSet<ObjectKey>> refused = new ConcurrentHashMap<>();

  MisjudgedMembers(GateFactsReader<P> facts, GrantReturner returner, GateReports reports) {
    this.facts = facts;
    this.returner = returner;
    this.reports = reports;
  }

  /**
   * Looks at the members without the gate.
   *
   * @return the time until the next look; empty if there is nothing to do
   */
  Optional<Duration> look(ObjectKey unit, ImmutableList<GatedPod> waiting)
      throws ApiUnavailableException {
    ImmutableSet.Builder<ObjectKey> later = ImmutableSet.builder();
    Optional<Duration> next = Optional.empty();
    for (GatedPod pod : waiting) {
      Duration left = pod.refusal().isEmpty() || pod.gated() ? Duration.ZERO : look(pod);
      if (!left.isZero()) {
        later.add(pod.alone());
        next = Optional.of(next.map(other -> Comparators.min(other, left)).orElse(left));
      }
    }
    remember(unit, later.build());
    return next;
  }

  private void remember(ObjectKey unit, ImmutableSet<ObjectKey> later) {
    ImmutableSet<ObjectKey> before =
        later.isEmpty()
            ? Optional.ofNullable(refused.remove(unit)).orElse(ImmutableSet.of())
            : Optional.ofNullable(refused.put(unit, later)).orElse(ImmutableSet.of());
    Sets.difference(before, later).forEach(returner::forget);
  }

  private Duration look(GatedPod pod) throws ApiUnavailableException {
    GateSituation<P> situation = facts.situation(pod);
    if (!situation.misjudged()) {
      return Duration.ZERO;
    }
    Duration left = returner.left(pod);
    if (!left.isZero() || !returner.applies(pod)) {
      return left;
    }
    ImmutableList<ClaimFacts> claims = situation.claims().asList();
    boolean given = returner.giveBack(claims, pod.ref());
    situation
        .node()
        .ifPresent(
            node -> {
              returner.leaveOut(node, pod);
              reports.returned(pod, node, claims);
            });
    return given ? Duration.ZERO : ControllerDelays.SETTLING;
  }
}
