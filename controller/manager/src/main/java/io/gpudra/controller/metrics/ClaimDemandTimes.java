package io.gpudra.controller.metrics;

import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.crds.model.ClaimRef;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/**
 * The time since which our claims wait: Immediate claims since their creation, others since the
 * first pod that uses them reached the scheduler.
 *
 * @param wantedBy work that names a claim
 */
public record ClaimDemandTimes(
    Function<ClaimRef, ? extends Collection<WorkKey>> wantedBy,
    ContextStore contexts,
    ClassStore classes,
    String driverName) {

  /** Empty if no pod needs the claim, or another driver allocates it. */
  public Optional<Instant> since(ClaimFacts claim) {
    if (ClassState.of(classes.get(claim.className()), driverName) != ClassState.OURS) {
      return Optional.empty();
    }
    return claim.mode() == Mode.IMMEDIATE
        ? Optional.of(claim.created())
        : wantedBy.apply(claim.ref()).stream()
            .filter(work -> work.kind() == WorkKey.Kind.CONTEXT)
            .flatMap(context -> contexts.get(context.key()).stream())
            .map(ContextFacts::created)
            .min(Comparator.naturalOrder());
  }
}
