package io.gpudra.controller.snapshot;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/**
 * The objects of the cluster at one time, and the state that the controller would build from it, by
 * the controller's own code.
 *
 * @param ledgers of every node that exists or that an allocation names
 * @param driver decides by these ledgers; its allocations only change the ledgers
 * @param unreadable claims that are in no ledger
 */
public record ClusterSnapshot(
    ClusterObjects reading,
    Ledgers ledgers,
    GpuDriver driver,
    ImmutableList<Unreadable> unreadable) {

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
    Ledgers ledgers = new Ledgers();
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
    return new ClusterSnapshot(reading, ledgers, driver, unreadable.build());
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
