package io.gpudra.controller.view;

import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.Stamp;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.kube.ClusterReading;
import java.time.Instant;

/**
 * One reading with what the controller would make of it, by the controller's own code.
 *
 * @param ledgers who holds what, of every node that there is or that a grant names
 * @param driver judges by these ledgers; what it commits is held in them and nowhere else
 */
public record Cluster(ClusterReading reading, Ledgers ledgers, GpuDriver driver) {

  /** No leader: what is granted here is never written. */
  private static final long NO_EPOCH = 0;

  /**
   * Folds a reading.
   *
   * @param now when taints of that end are over, and the time of grants that are tried
   * @param alerts learn of handles that no ledger can show
   */
  public static Cluster of(
      ClusterReading reading, String driverName, Instant now, GpuAlerts alerts) {
    Ledgers ledgers = new Ledgers();
    GpuDriver driver =
        new GpuDriver(
            driverName,
            new ReadParameters(reading),
            ledgers,
            () -> new Stamp(NO_EPOCH, now),
            alerts);
    reading.inventories().forEach(inventory -> ledgers.observe(inventory.at(now)));
    for (ClaimFacts claim : reading.claims()) {
      driver.observe(claim.ref(), claim.uid(), claim.allocation().flatMap(Granted::ours));
    }
    reading.inventories().forEach(inventory -> ledgers.nodeSpoke(inventory.node().name()));
    return new Cluster(reading, ledgers, driver);
  }
}
