package io.gpudra.controller.quota;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.MigProfile;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one change of a node means for the charges of its claims. */
record LedgerDifference(NodeLedger before, NodeLedger after) {

  /** The facts of a GPU by which its parts are charged, see {@link DeviceCharges}. */
  private record Divisor(long memoryBytes, ImmutableList<MigProfile> profiles) {}

  /**
   * The claims whose charge may be another one.
   *
   * @param charges of a namespace; null when it has no quotas
   */
  Stream<CountedClaim> counted(Function<String, @Nullable NamespaceCharges> charges) {
    return claims().stream().flatMap(claim -> counted(claim, charges));
  }

  private Stream<CountedClaim> counted(
      ClaimUid claim, Function<String, @Nullable NamespaceCharges> charges) {
    ClaimRef ref = (after.claims().contains(claim) ? after : before).ref(claim);
    NamespaceCharges own = charges.apply(ref.namespace());
    return own == null
        ? Stream.of()
        : Stream.of(
            new CountedClaim(own, ref, claim, after.node(), DeviceCharges.of(after, claim)));
  }

  private ImmutableSet<ClaimUid> claims() {
    Set<ClaimUid> all = Sets.union(before.claims(), after.claims());
    Set<String> gpus = otherGpus();
    ImmutableSet<ClaimUid> changed =
        all.stream()
            .filter(claim -> differs(claim) || isOn(claim, gpus))
            .collect(ImmutableSet.toImmutableSet());
    return Sets.union(changed, Sets.filter(after.holds().keySet(), one -> isInside(one, changed)))
        .immutableCopy();
  }

  /** The UUIDs of GPUs of which a part may be charged in another way. */
  private Set<String> otherGpus() {
    if (before.inventory().gpus().equals(after.inventory().gpus())) {
      return ImmutableSet.of();
    }
    Map<String, Divisor> then = divisors(before);
    Map<String, Divisor> now = divisors(after);
    return Sets.union(then.keySet(), now.keySet()).stream()
        .filter(gpu -> !Objects.equals(then.get(gpu), now.get(gpu)))
        .collect(ImmutableSet.toImmutableSet());
  }

  private static Map<String, Divisor> divisors(NodeLedger ledger) {
    Map<String, Divisor> divisors = new HashMap<>();
    ledger
        .inventory()
        .gpus()
        .forEach(
            gpu ->
                divisors.putIfAbsent(
                    gpu.uuid(), new Divisor(gpu.memoryBytes(), gpu.model().migProfiles())));
    return divisors;
  }

  private boolean isOn(ClaimUid claim, Set<String> gpus) {
    Hold hold = after.holds().get(claim);
    return hold != null
        && !gpus.isEmpty()
        && hold.devices().anyMatch(device -> gpus.contains(device.uuid()));
  }

  private boolean differs(ClaimUid claim) {
    return !Objects.equals(before.holds().get(claim), after.holds().get(claim))
        || !Objects.equals(before.unreadable().get(claim), after.unreadable().get(claim));
  }

  private boolean isInside(ClaimUid claim, ImmutableSet<ClaimUid> parents) {
    return Objects.requireNonNull(after.holds().get(claim))
        .devices()
        .flatMap(device -> device.part().inside().stream())
        .anyMatch(parents::contains);
  }
}
