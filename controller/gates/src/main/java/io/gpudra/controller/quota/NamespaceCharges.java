package io.gpudra.controller.quota;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.CommitGuard.Limit;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What the claims of one namespace with quotas hold. Usable from any thread. */
final class NamespaceCharges {
  private static final HeldClaim NOTHING = new HeldClaim(Optional.empty(), ImmutableMap.of());

  /** What a claim holds on each node; almost always one. */
  private record HeldClaim(Optional<String> className, ImmutableMap<String, QuotaCharge> byNode) {

    HeldClaim with(Optional<String> name, String node, Optional<QuotaCharge> charge) {
      ImmutableMap.Builder<String, QuotaCharge> nodes = ImmutableMap.builder();
      nodes.putAll(Maps.filterKeys(byNode, other -> !other.equals(node)));
      charge.ifPresent(held -> nodes.put(node, held));
      return new HeldClaim(name, nodes.buildOrThrow());
    }

    QuotaCharge charge() {
      return byNode.values().stream().reduce(QuotaCharge.NONE, QuotaCharge::plus);
    }
  }

  /** All fields are guarded by this. */
  private final Map<ClaimUid, HeldClaim> claims = new HashMap<>();

  private final Map<Optional<String>, QuotaCharge> sums = new HashMap<>();
  private ImmutableList<QuotaLimit> limits = ImmutableList.of();

  synchronized void limit(ImmutableList<QuotaLimit> now) {
    limits = ImmutableList.copyOf(Iterables.limit(now, QuotaLimit.MAX_LISTED));
  }

  /**
   * The claim holds this on the node now.
   *
   * @param className asked until it is known
   * @param charge absent when it holds nothing
   */
  synchronized void set(
      ClaimUid claim,
      Supplier<Optional<String>> className,
      String node,
      Optional<QuotaCharge> charge) {
    HeldClaim before = claims.getOrDefault(claim, NOTHING);
    HeldClaim after = before.with(before.className().or(className), node, charge);
    add(before.className(), before.charge().times(-1));
    add(after.className(), after.charge());
    if (after.byNode().isEmpty()) {
      claims.remove(claim);
    } else {
      claims.put(claim, after);
    }
  }

  private void add(Optional<String> className, QuotaCharge charge) {
    sums.merge(className, charge, QuotaCharge::plus);
  }

  synchronized boolean holds(ClaimUid claim) {
    return claims.containsKey(claim);
  }

  /** The class with which the claim is counted; empty if it is not counted or unknown. */
  synchronized Optional<String> className(ClaimUid claim) {
    return claims.getOrDefault(claim, NOTHING).className();
  }

  /** What the claim is known to hold on the node. */
  synchronized QuotaCharge charge(ClaimUid claim, String node) {
    return claims.getOrDefault(claim, NOTHING).byNode().getOrDefault(node, QuotaCharge.NONE);
  }

  /** The sums for each quota, with unknown GPUs of this size. */
  synchronized ImmutableList<QuotaUse> uses(long largestBytes) {
    return limits.stream()
        .map(limit -> new QuotaUse(limit, sum(limit, sums).sized(largestBytes)))
        .collect(ImmutableList.toImmutableList());
  }

  private static QuotaCharge sum(QuotaLimit limit, Map<Optional<String>, QuotaCharge> charges) {
    return charges.entrySet().stream()
        .filter(ofClass -> limit.concerns(ofClass.getKey()))
        .map(Map.Entry::getValue)
        .reduce(QuotaCharge.NONE, QuotaCharge::plus);
  }

  /**
   * The quotas that keep claims from holding more: the reason is the first.
   *
   * @param more by class
   */
  Optional<Limit> excess(Map<Optional<String>, QuotaCharge> more, long largestBytes) {
    ImmutableList<QuotaUse> uses = uses(largestBytes);
    if (uses.size() > QuotaLimit.MAX_QUOTAS
        && more.values().stream().anyMatch(QuotaCharge::isPositive)) {
      return Optional.of(tooMany(uses.get(QuotaLimit.MAX_QUOTAS).limit()));
    }
    ImmutableMap.Builder<String, QuotaExcess> found = ImmutableMap.builder();
    for (QuotaUse use : uses) {
      QuotaCharge growth = sum(use.limit(), more).sized(largestBytes);
      if (!use.limit().allows(use.used(), growth)) {
        found.put(use.limit().name(), new QuotaExcess(use, growth));
      }
    }
    return limit(found.buildOrThrow());
  }

  /** Quotas that are not compared may allow nothing. */
  private static Limit tooMany(QuotaLimit beyond) {
    return new Limit(
        StatedReason.of(
            Kind.QUOTA_EXCEEDED,
            "quota \"%s\": a namespace has at most %d quotas, and gets nothing with more",
            beyond.name(),
            QuotaLimit.MAX_QUOTAS),
        ImmutableSet.of(beyond.name()));
  }

  private static Optional<Limit> limit(ImmutableMap<String, QuotaExcess> found) {
    return found.values().stream()
        .findFirst()
        .map(first -> new Limit(first, ImmutableSet.copyOf(found.keySet())));
  }
}
