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
 * @param attributes values without a component of their own
 * @param taints the taints of the whole GPU, added by its plugin or by an administrator
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
    AttributeValues attributes,
    MigState mig,
    ImmutableList<DeviceTaint> taints) {

  /** The same GPU with other MIG devices. */
  public Gpu with(MigState other) {
    return toBuilder().mig(other).build();
  }

  /** The same GPU with other taints. */
  public Gpu with(ImmutableList<DeviceTaint> others) {
    return toBuilder().taints(others).build();
  }

  /** Whether the GPU or one of its MIG devices has a taint. */
  public boolean isTainted() {
    return !taints.isEmpty() || mig.isTainted();
  }

  /** Whether none of its taints has ended by then. */
  boolean isAsAt(Instant now) {
    return taints.isEmpty() || taints.stream().allMatch(taint -> taint.at(now));
  }

  /** The same GPU without the taints that have ended by then. */
  Gpu at(Instant now) {
    return with(taints.stream().filter(taint -> taint.at(now)).collect(toImmutableList()));
  }

  /** A builder with the same values. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A GPU with the usual name, at no known place, without MIG and taints until these are set. */
  public static final class Builder {
    private String uuid;
    private int index;
    private final GpuModel model;
    private final long memoryBytes;
    private String name;
    private int minor;
    private String pcieBusId = "";
    private String pcieRoot = "";
    private int numaNode = -1;
    private AttributeValues attributes = AttributeValues.NONE;
    private MigState mig = MigState.of(MigMode.UNSUPPORTED);
    private ImmutableList<DeviceTaint> taints = ImmutableList.of();

    public Builder(String uuid, int index, GpuModel model, long memoryBytes) {
      this.uuid = uuid;
      this.model = model;
      this.memoryBytes = memoryBytes;
      this.index = index;
      this.minor = index;
      this.name = "gpu-" + index;
    }

    private Builder(Gpu gpu) {
      uuid = gpu.uuid;
      index = gpu.index;
      model = gpu.model;
      memoryBytes = gpu.memoryBytes;
      name = gpu.name;
      minor = gpu.minor;
      pcieBusId = gpu.pcieBusId;
      pcieRoot = gpu.pcieRoot;
      numaNode = gpu.numaNode;
      attributes = gpu.attributes;
      mig = gpu.mig;
      taints = gpu.taints;
    }

    /** The GPU at another position on the node, with its usual name. */
    public Builder at(int position) {
      index = position;
      name = "gpu-" + position;
      return this;
    }

    public Builder name(String value) {
      name = value;
      return this;
    }

    public Builder uuid(String value) {
      uuid = value;
      return this;
    }

    public Builder minor(int value) {
      minor = value;
      return this;
    }

    public Builder pcieBusId(String value) {
      pcieBusId = value;
      return this;
    }

    public Builder pcieRoot(String value) {
      pcieRoot = value;
      return this;
    }

    public Builder numaNode(int value) {
      numaNode = value;
      return this;
    }

    public Builder attributes(AttributeValues value) {
      attributes = value;
      return this;
    }

    public Builder mig(MigState value) {
      mig = value;
      return this;
    }

    public Builder taints(ImmutableList<DeviceTaint> value) {
      taints = value;
      return this;
    }

    public Gpu build() {
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
          attributes,
          mig,
          taints);
    }
  }

  /** Whether the GPU supports MIG, or is in MIG mode. */
  public enum MigMode {
    UNSUPPORTED,
    DISABLED,
    ENABLED
  }
}
