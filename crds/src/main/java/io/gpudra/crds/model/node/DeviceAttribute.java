package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Longs;
import java.util.Arrays;
import java.util.Optional;

/**
 * The attributes of a device (api.md 5.1). Each always has a value, so that no condition needs to
 * test its presence: empty text, -1 or version 0 when unknown.
 */
public enum DeviceAttribute {
  NAME("name", Type.TEXT, Scope.PLACE),
  UUID("uuid", Type.TEXT, Scope.DEVICE),
  TYPE("type", Type.TEXT, Scope.KIND),
  INDEX("index", Type.INT, Scope.PLACE),
  MINOR("minor", Type.INT, Scope.DEVICE),
  PRODUCT_NAME("productName", Type.TEXT, Scope.KIND),
  MODEL("model", Type.TEXT, Scope.KIND),
  BRAND("brand", Type.TEXT, Scope.KIND),
  ARCHITECTURE("architecture", Type.TEXT, Scope.KIND),
  CUDA_COMPUTE_CAPABILITY("cudaComputeCapability", Type.VERSION, Scope.KIND),
  DRIVER_VERSION("driverVersion", Type.VERSION, Scope.KIND),
  CUDA_DRIVER_VERSION("cudaDriverVersion", Type.VERSION, Scope.KIND),
  MEMORY("memory", Type.INT, Scope.KIND),
  NOMINAL_MEMORY("nominalMemory", Type.INT, Scope.KIND),
  PCIE_BUS_ID("pcieBusID", Type.TEXT, Scope.DEVICE),
  PCIE_ROOT("pcieRoot", Type.TEXT, Scope.PLACE),
  NUMA_NODE("numaNode", Type.INT, Scope.PLACE),
  /** Distinguishes boards that are sold under one name. */
  PCIE_DEVICE_ID("pcieDeviceID", Type.TEXT, Scope.PLACE, /* pciFile= */ "device"),
  MIG_ENABLED("migEnabled", Type.BOOL, Scope.KIND),
  MIG_CAPABLE("migCapable", Type.BOOL, Scope.KIND),
  MIG_PROFILE("migProfile", Type.TEXT, Scope.PLACE),
  PARENT_UUID("parentUUID", Type.TEXT, Scope.DEVICE),
  CAPABILITIES("capabilities", Type.TEXTS, Scope.PLACE),
  NVLINK_PEERS("nvlinkPeers", Type.INT, Scope.PLACE),
  NODE("node", Type.TEXT, Scope.DEVICE),
  DRIVER("driver", Type.TEXT, Scope.KIND);

  /** The variable of conditions. */
  public static final String ROOT = "device";

  private static final ImmutableList<String> SHORT_NAMES =
      Arrays.stream(values()).map(DeviceAttribute::shortName).collect(toImmutableList());

  private static final ImmutableMap<String, String> PCI_FILES =
      Arrays.stream(values())
          .filter(DeviceAttribute::isReported)
          .collect(toImmutableMap(DeviceAttribute::shortName, one -> one.pciFile));

  private final String shortName;
  private final Type type;
  private final Scope scope;
  private final String pciFile;

  DeviceAttribute(String shortName, Type type, Scope scope) {
    this(shortName, type, scope, /* pciFile= */ "");
  }

  DeviceAttribute(String shortName, Type type, Scope scope, String pciFile) {
    this.shortName = shortName;
    this.type = type;
    this.scope = scope;
    this.pciFile = pciFile;
  }

  /** The type of the values. */
  public enum Type {
    TEXT,
    INT,
    BOOL,
    /** A dotted number. */
    VERSION,
    TEXTS;

    /** The value of an attribute that is unknown. */
    Object unknown() {
      return switch (this) {
        case TEXT, VERSION -> "";
        case INT -> -1L;
        case BOOL -> false;
        case TEXTS -> ImmutableList.of();
      };
    }

    /** The value; empty if the text is no such value. Lists are not reported. */
    Optional<Object> parse(String text) {
      return switch (this) {
        case TEXT, VERSION -> Optional.of(text);
        case INT -> Optional.ofNullable(Longs.tryParse(text));
        case BOOL -> Optional.of(Boolean.parseBoolean(text));
        case TEXTS -> Optional.empty();
      };
    }
  }

  /** The devices that have equal values. */
  public enum Scope {
    /** GPUs of one model, memory size, MIG mode and driver. */
    KIND,
    /** Devices at the same place of nodes with equal fingerprints. */
    PLACE,
    /** No two devices, or only those of one node. */
    DEVICE
  }

  /** The names of all, in their order. */
  public static ImmutableList<String> shortNames() {
    return SHORT_NAMES;
  }

  /**
   * The names of the reported attributes, each with the file of a PCI device in which the kernel
   * has the value.
   */
  public static ImmutableMap<String, String> pciFiles() {
    return PCI_FILES;
  }

  /** The attribute of this {@link #variable}. */
  public static Optional<DeviceAttribute> named(String variable) {
    return Arrays.stream(values()).filter(one -> one.variable().equals(variable)).findFirst();
  }

  /** The name that users write, such as {@code memory}. */
  public String shortName() {
    return shortName;
  }

  /** The name in a condition: {@code device.memory}. */
  public String variable() {
    return ROOT + "." + shortName;
  }

  public Type type() {
    return type;
  }

  public Scope scope() {
    return scope;
  }

  /**
   * Whether plugins report it among {@code attributes}, and a GPU has it in its {@link
   * AttributeValues}. The other attributes have fields of their own, or follow from those.
   */
  public boolean isReported() {
    return !pciFile.isEmpty();
  }

  /** The name by which a class forbids it; a MIG device also reveals its GPU's UUID. */
  public String forbiddenAs() {
    return this == PARENT_UUID ? UUID.shortName : shortName;
  }

  /**
   * Whether a condition must be evaluated for each device. Minor numbers are few; a node has
   * hundreds of places for MIG devices, each with a name.
   */
  public boolean hasManyValues() {
    return this == NAME || (scope == Scope.DEVICE && this != MINOR);
  }
}
