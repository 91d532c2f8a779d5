package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.time.Instant;

/**
 * One physical GPU of a node.
 *
 * @param name {@code gpu-<index>}, unique on the node
 * @param uuid unique in the world and stable over reboots; everything that is held is keyed by it
 * @param index position on the node, from 0
 * @param minor number of the device node
 * @param memoryBytes exact memory as the driver reports it, in bytes
 * @param pcieBusId such as {@code 0000:07:00.0}; empty when unknown
 * @param pcieRoot such as {@code pci0000:00}; empty when unknown
 * @param numaNode -1 when unknown
 * @param taints what keeps claims away from all of it, put there by its plugin or by an
 *     administrator
 */
public record Gpu(
    String name,
    String uuid,
    int index,
    int minor,
    GpuModel model,
    long memoryBytes,
    String pcieBusId,
    String pcieRoot,
    int numaNode,
    MigState mig,
    ImmutableList<DeviceTaint> taints) {

  /** The same GPU with other MIG devices. */
  public Gpu with(MigState other) {
    return new Gpu(
        name, uuid, index, minor, model, memoryBytes, pcieBusId, pcieRoot, numaNode, other, taints);
  }

  /** The same with other taints. */
  public Gpu with(ImmutableList<DeviceTaint> others) {
    return new Gpu(
        name, uuid, index, minor, model, memoryBytes, pcieBusId, pcieRoot, numaNode, mig, others);
  }

  /** Whether it has a taint, or one of its MIG devices has. */
  public boolean isTainted() {
    return !taints.isEmpty() || mig.isTainted();
  }

  /** Whether none of its taints has ended by then. */
  boolean isAsAt(Instant now) {
    return taints.isEmpty() || taints.stream().allMatch(taint -> taint.at(now));
  }

  /** The same without the taints that have ended by then. */
  Gpu at(Instant now) {
    return new Gpu(
        name,
        uuid,
        index,
        minor,
        model,
        memoryBytes,
        pcieBusId,
        pcieRoot,
        numaNode,
        mig,
        taints.stream().filter(taint -> taint.at(now)).collect(toImmutableList()));
  }

  /** Whether the GPU supports MIG, or is in MIG mode. */
  public enum MigMode {
    UNSUPPORTED,
    DISABLED,
    ENABLED
  }
}
