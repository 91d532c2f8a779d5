package io.gpudra.controller.snapshot;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The objects of the cluster at one time, and the state that the controller would build from it, by
 * the controller's own code.
 *
 * @param ledgers of every node that exists or that an allocation names
 * @param quotas what the claims of namespaces with quotas use
 * @param driver decides by these ledgers; its allocations only change the ledgers
 * @param unreadable claims that are in no ledger
 * @param classNames of claims, for quotas that count some classes only; may grow
 */
public record ClusterSnapshot(
    ClusterObjects reading,
    Ledgers ledgers,
    QuotaBook quotas,
    GpuDriver driver,
    ImmutableList<Unreadable> unreadable,
    Map<ClaimUid, String> classNames) {

  /** A claim with a handle of this driver without a readable node. */
  public record Unreadable(ClaimRef ref, ClaimUid claim, String problem) {}

  /** Not the epoch of a leader: allocations are never written. */
  private static final long NO_EPOCH = 0;

  /**
   * Builds the ledgers of these objects.
   *
   * @param now for expired taints and the times of trial allocations
   */
  public static ClusterSnapshot of(ClusterObjects reading, String driverName, Instant now) {
    Map<ClaimUid, String> classNames = new HashMap<>();
    reading.claims().forEach(claim -> classNames.put(claim.uid(), claim.className()));
    QuotaBook quotas = new QuotaBook((ref, uid) -> Optional.ofNullable(classNames.get(uid)));
    Ledgers ledgers = new Ledgers(quotas);
    ImmutableList.Builder<Unreadable> unreadable = ImmutableList.builder();
    GpuDriver driver =
        new GpuDriver(
            driverName,
            new ParametersSnapshot(reading),
            ledgers,
            () -> new GrantAudit(NO_EPOCH, now),
            new ProblemCollector(unreadable));
    reading.inventories().forEach(inventory -> ledgers.observe(inventory.at(now)));
    for (ClaimFacts claim : reading.claims()) {
      driver.observe(claim.ref(), claim.uid(), claim.allocation().flatMap(Granted::ours));
    }
    reading.inventories().forEach(inventory -> ledgers.nodeSpoke(inventory.node().name()));
    limits(reading)
        .forEach((namespace, all) -> ledgers.withAll(of -> quotas.limits(namespace, all, of)));
    return new ClusterSnapshot(reading, ledgers, quotas, driver, unreadable.build(), classNames);
  }

  private static Map<String, ImmutableList<QuotaLimit>> limits(ClusterObjects reading) {
    return reading.quotas().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .collect(
            Collectors.groupingBy(
                quota -> ObjectKey.of(quota.getKey()).namespace(),
                Collectors.mapping(ClusterSnapshot::limit, ImmutableList.toImmutableList())));
  }

  private static QuotaLimit limit(Map.Entry<String, CachedQuota> quota) {
    return QuotaLimit.of(
        ObjectKey.of(quota.getKey()).name(), quota.getKey(), quota.getValue().spec());
  }

  /** Collects handles without a readable node; all other problems of handles are in the ledgers. */
  private static final class ProblemCollector extends NoOpAlerts {
    private final ImmutableList.Builder<Unreadable> unreadable;

    ProblemCollector(ImmutableList.Builder<Unreadable> unreadable) {
      this.unreadable = unreadable;
    }

    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      if (node.isEmpty()) {
        unreadable.add(new Unreadable(ref, claim, problem));
      }
    }
  }
}
