package io.gpudra.controller.gate.group;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.gate.GateFactsReader;
import io.gpudra.controller.gate.GateReports;
import io.gpudra.controller.gate.GateSituation;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GrantReturner;
import io.gpudra.controller.gate.ReturnBudget;
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
    ReturnBudget budget = new ReturnBudget();
    for (GatedPod pod : waiting) {
      Optional<GateSituation<P>> situation = misjudged(pod);
      Duration left = situation.isPresent() ? returner.left(pod) : Duration.ZERO;
      if (situation.isPresent() && left.isZero()) {
        left =
            budget.take(situation.get().claims().asList().size())
                ? giveBack(situation.get())
                : ControllerDelays.SETTLING;
      }
      if (!left.isZero()) {
        later.add(pod.alone());
        next = Optional.of(Comparators.min(next.orElse(left), left));
      }
    }
    remember(unit, later.build());
    return next;
  }

  private void remember(ObjectKey unit, ImmutableSet<ObjectKey> later) {
    Optional<ImmutableSet<ObjectKey>> before =
        Optional.ofNullable(later.isEmpty() ? refused.remove(unit) : refused.put(unit, later));
    before.ifPresent(known -> Sets.difference(known, later).forEach(returner::forget));
  }

  private Optional<GateSituation<P>> misjudged(GatedPod pod) {
    return Optional.of(pod)
        .filter(one -> one.refusal().isPresent() && !one.gated())
        // Of a pod with a context, nothing that takes time to read decides.
        .filter(one -> !facts.hasContext(one.ref()))
        .map(facts::situation)
        .filter(GateSituation::misjudged);
  }

  /** Returns the time until the next try; zero if there is nothing to do. */
  private Duration giveBack(GateSituation<P> situation) throws ApiUnavailableException {
    return returner.giveBackMisjudged(
            situation.pod(), situation.node(), situation.claims().asList(), reports)
        ? Duration.ZERO
        : ControllerDelays.SETTLING;
  }
}
