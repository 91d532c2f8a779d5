package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.time.temporal.ChronoUnit.SECONDS;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Set;

/**
 * The newest known state of one node's GPUs: the devices, the prepared claims, and whether the
 * state is reliable.
 *
 * @param driverVersion version of the kernel driver such as {@code 535.104.05}; empty when unknown
 * @param cudaDriverVersion such as {@code 12.2}; empty when unknown
 * @param gpus ordered by index
 * @param links GPUs that reach each other without the PCIe bus
 * @param prepared claims for which the node's plugin holds devices
 * @param handleFormat the newest format of the resource handle that the plugin reads
 */
public record Inventory(
    NodeState node,
    String driverVersion,
    String cudaDriverVersion,
    ImmutableList<Gpu> gpus,
    ImmutableList<GpuLink> links,
    ImmutableList<PreparedClaim> prepared,
    int handleFormat,
    Service service) {

  /** The inventory of a node with whole GPUs only. */
  public Inventory(
      NodeState node,
      String driverVersion,
      String cudaDriverVersion,
      ImmutableList<Gpu> gpus,
      ImmutableList<PreparedClaim> prepared,
      Service service) {
    this(node, driverVersion, cudaDriverVersion, gpus, ImmutableList.of(), prepared, 1, service);
  }

  /** The same inventory with another state of the service. */
  public Inventory with(Service judged) {
    return new Inventory(
        node, driverVersion, cudaDriverVersion, gpus, links, prepared, handleFormat, judged);
  }

  /** The same inventory of a node in this state. */
  public Inventory on(NodeState state) {
    return new Inventory(
        state, driverVersion, cudaDriverVersion, gpus, links, prepared, handleFormat, service);
  }

  /**
   * An inventory with these GPUs, on a node of this name. Nothing else is known of the node, except
   * that it serves and has nothing prepared.
   */
  public Inventory bare(String name, ImmutableList<Gpu> some, ImmutableList<GpuLink> between) {
    return new Inventory(
        NodeState.ready(name),
        driverVersion,
        cudaDriverVersion,
        some,
        between,
        ImmutableList.of(),
        handleFormat,
        new Service.Serving());
  }

  /** The same inventory without GPUs, links and driver. */
  public Inventory withoutGpus() {
    return new Inventory(
        node, "", "", ImmutableList.of(), ImmutableList.of(), prepared, handleFormat, service);
  }

  /** The same inventory as if no claims but these had devices. */
  public Inventory only(Set<ClaimUid> claims) {
    return isOnly(claims) ? this : withoutOthers(claims);
  }

  private boolean isOnly(Set<ClaimUid> claims) {
    return prepared.stream().allMatch(claim -> claims.contains(claim.uid()))
        && gpus.stream().allMatch(gpu -> gpu.mig().isOnly(claims));
  }

  private Inventory withoutOthers(Set<ClaimUid> claims) {
    return new Inventory(
        node,
        driverVersion,
        cudaDriverVersion,
        gpus.stream()
            .map(gpu -> gpu.mig().isOnly(claims) ? gpu : gpu.with(gpu.mig().only(claims)))
            .collect(toImmutableList()),
        links,
        prepared.stream().filter(claim -> claims.contains(claim.uid())).collect(toImmutableList()),
        handleFormat,
        service);
  }

  /** The same inventory without the taints that have ended by then. */
  public Inventory at(Instant now) {
    return gpus.stream().allMatch(gpu -> gpu.isAsAt(now))
        ? this
        : new Inventory(
            node,
            driverVersion,
            cudaDriverVersion,
            gpus.stream().map(gpu -> gpu.at(now)).collect(toImmutableList()),
            links,
            prepared,
            handleFormat,
            service);
  }

  /** Whether its content may be used. */
  public boolean isPlausible() {
    return !(service instanceof Service.Implausible);
  }

  /** Whether new allocations may be made from this inventory. */
  public sealed interface Service {

    /** The plugin is alive and reports that it serves. */
    record Serving() implements Service {}

    /**
     * The last heartbeat of the plugin is too old.
     *
     * @param lastHeard whole seconds
     */
    record Stale(Instant lastHeard) implements Service {

      /** Rounds the time to seconds. */
      public Stale {
        lastHeard = lastHeard.truncatedTo(SECONDS);
      }
    }

    /** The last condition, written by the plugin or for it, says that it does not serve. */
    record NotReady(String conditionReason) implements Service {}

    /**
     * The published inventory is larger than any node's. Its GPUs are left out, and the prepared
     * claims are listed without their devices.
     *
     * @param problem begins with the field
     */
    record Implausible(String problem) implements Service {}

    /** The node exists but no plugin of this driver ever published an inventory for it. */
    record Absent() implements Service {}
  }
}
