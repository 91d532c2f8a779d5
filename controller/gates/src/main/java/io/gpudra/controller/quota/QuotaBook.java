package io.gpudra.controller.quota;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What the claims of the namespaces with quotas hold, and whether they may hold more. All changes
 * come under the lock of all ledgers, so no two commits together exceed a quota. Other namespaces
 * cost nothing.
 */
public final class QuotaBook implements CommitGuard {
  private final BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf;
  private final Map<String, NamespaceCharges> namespaces = new ConcurrentHashMap<>();

  /** The memory of the GPUs that no inventory lists. */
  private final LargestGpus largest = new LargestGpus();

  /**
   * A book without quotas.
   *
   * @param classOf the class of a claim; empty while it is unknown; takes no lock
   */
  public QuotaBook(BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf) {
    this.classOf = classOf;
  }

  /**
   * The quotas of a namespace from now on. To be called while no ledger changes.
   *
   * @param all the ledgers
   */
  public void limits(
      String namespace, ImmutableList<QuotaLimit> limits, Collection<NodeLedger> all) {
    if (limits.isEmpty()) {
      namespaces.remove(namespace);
    } else {
      namespaces.computeIfAbsent(namespace, unused -> charges(namespace, all)).limit(limits);
    }
  }

  private NamespaceCharges charges(String namespace, Collection<NodeLedger> all) {
    NamespaceCharges charges = new NamespaceCharges();
    for (NodeLedger ledger : all) {
      new LedgerDifference(NodeLedger.unknown(ledger.node()), ledger)
          .counted(name -> name.equals(namespace) ? charges : null)
          .forEach(claim -> claim.enter(classOf));
    }
    return charges;
  }

  /** The figures of a namespace now, a quota each. Usable from any thread. */
  public ImmutableList<QuotaUse> uses(String namespace) {
    NamespaceCharges charges = namespaces.get(namespace);
    return charges == null ? ImmutableList.of() : charges.uses(largest.bytes());
  }

  /** The same of all namespaces with quotas. */
  public ImmutableMap<String, ImmutableList<QuotaUse>> uses() {
    return ImmutableMap.copyOf(
        Maps.transformValues(namespaces, charges -> charges.uses(largest.bytes())));
  }

  @Override
  public Before before(PodRequest request) {
    NamespaceCharges charges = namespaces.get(request.claims().get(0).ref().namespace());
    return charges == null
        ? new Before.GoOn(request)
        : new PossibleRequest(request, charges, classOf, largest.bytes()).before();
  }

  @Override
  public Optional<Limit> ask(ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
    Map<NamespaceCharges, Map<Optional<String>, QuotaCharge>> more = new HashMap<>();
    for (int i = 0; i < seen.size(); i++) {
      counted(seen.get(i), next.get(i)).forEach(claim -> add(more, claim));
    }
    return more.entrySet().stream()
        .flatMap(one -> one.getKey().excess(one.getValue(), largest.bytes()).stream())
        .findFirst();
  }

  private void add(
      Map<NamespaceCharges, Map<Optional<String>, QuotaCharge>> more, CountedClaim claim) {
    more.computeIfAbsent(claim.charges(), unused -> new HashMap<>())
        .merge(claim.className(classOf), claim.growth(), QuotaCharge::plus);
  }

  @Override
  public void changed(NodeLedger before, NodeLedger after) {
    largest.seen(after);
    counted(before, after).forEach(claim -> claim.enter(classOf));
  }

  private Stream<CountedClaim> counted(NodeLedger before, NodeLedger after) {
    return namespaces.isEmpty()
        ? Stream.of()
        : new LedgerDifference(before, after).counted(namespaces::get);
  }
}
