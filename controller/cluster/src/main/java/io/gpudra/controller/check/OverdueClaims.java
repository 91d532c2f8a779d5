package io.gpudra.controller.check;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.Limits;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds claims that are held longer than their class allows. They keep their devices.
 *
 * @param claims the newest of each name
 * @param objects the parameters of classes
 */
public record OverdueClaims(
    Function<ClaimRef, Optional<ClaimFacts>> claims,
    ClassStore classes,
    ParametersObjects objects) {

  /** All findings, from the allocations in the API. */
  public ImmutableList<Finding> of(ImmutableList<NodeLedger> ledgers, Instant now) {
    Map<String, Optional<Limits>> limits = new HashMap<>();
    Function<String, Optional<Limits>> limit =
        name -> limits.computeIfAbsent(name, this::limitOfClass);
    return ledgers.stream()
        .flatMap(ledger -> ledger.holds().entrySet().stream())
        .flatMap(hold -> finding(hold.getKey(), hold.getValue(), limit, now).stream())
        .collect(toImmutableList());
  }

  private Optional<Limits> limitOfClass(String name) {
    return classes
        .get(name)
        .flatMap(found -> found.parameters())
        .flatMap(ref -> objects.ofClass(ref.name()))
        .filter(object -> object.problems().isEmpty())
        .map(GpuClassParameters::specOrDefault)
        .flatMap(spec -> Optional.ofNullable(spec.limits()))
        .filter(limits -> limits.longestHold().isPresent());
  }

  private Optional<Finding> finding(
      ClaimUid uid, Hold hold, Function<String, Optional<Limits>> limit, Instant now) {
    Optional<Limits> limits =
        claims
            .apply(hold.ref())
            .filter(claim -> claim.uid().equals(uid) && !claim.ending())
            .flatMap(claim -> limit.apply(claim.className()));
    return limits.isEmpty()
        ? Optional.empty()
        : hold.inApi().flatMap(grant -> finding(hold.ref(), grant, limits.get(), now));
  }

  private static Optional<Finding> finding(ClaimRef ref, Grant grant, Limits limits, Instant now) {
    Duration held = Duration.between(grant.at(), now);
    Duration longest = limits.longestHold().orElseThrow();
    return held.compareTo(longest) <= 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Kind.CLAIM_OVERDUE,
                grant.node(),
                ImmutableSortedMap.of(grant.claim(), ref),
                ImmutableSortedSet.of(),
                "held for %s, class allows %s"
                    .formatted(text(held, longest), limits.claimDuration())));
  }

  /** The duration in hours, unless both durations would look equal. */
  private static String text(Duration held, Duration longest) {
    return held.truncatedTo(ChronoUnit.HOURS).compareTo(longest) > 0
        ? held.toHours() + "h"
        : held.truncatedTo(ChronoUnit.MINUTES).compareTo(longest) > 0
            ? held.toMinutes() + "m"
            : held.toSeconds() + "s";
  }
}
