package io.gpudra.controller.reading;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.Stamp;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.kube.ClusterReading;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/**
 * One reading with what the controller would make of it, by the controller's own code.
 *
 * @param ledgers who holds what, of every node that there is or that a grant names
 * @param driver judges by these ledgers; what it commits is held in them and nowhere else
 * @param unreadable what no ledger can show
 */
public record Cluster(
    ClusterReading reading,
    Ledgers ledgers,
    GpuDriver driver,
    ImmutableList<Unreadable> unreadable) {

  /** A claim with a handle of ours that does not even tell its node. */
  public record Unreadable(ClaimRef ref, ClaimUid claim, String problem) {}

  /** No leader: what is granted here is never written. */
  private static final long NO_EPOCH = 0;

  /**
   * Folds a reading.
   *
   * @param now when taints of that end are over, and the time of grants that are tried
   */
  public static Cluster of(ClusterReading reading, String driverName, Instant now) {
    Ledgers ledgers = new Ledgers();
    ImmutableList.Builder<Unreadable> unreadable = ImmutableList.builder();
    GpuDriver driver =
        new GpuDriver(
            driverName,
            new ReadParameters(reading),
            ledgers,
            () -> new Stamp(NO_EPOCH, now),
            new Collecting(unreadable));
    reading.inventories().forEach(inventory -> ledgers.observe(inventory.at(now)));
    for (ClaimFacts claim : reading.claims()) {
      driver.observe(claim.ref(), claim.uid(), claim.allocation().flatMap(Granted::ours));
    }
    reading.inventories().forEach(inventory -> ledgers.nodeSpoke(inventory.node().name()));
    return new Cluster(reading, ledgers, driver, unreadable.build());
  }

  /** What else is wrong with handles is in the ledgers. */
  private static final class Collecting extends NobodyListens {
    private final ImmutableList.Builder<Unreadable> unreadable;

    Collecting(ImmutableList.Builder<Unreadable> unreadable) {
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
