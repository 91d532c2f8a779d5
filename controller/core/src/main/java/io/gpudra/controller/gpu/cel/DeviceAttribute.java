package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.errorprone.annotations.Immutable;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import io.gpudra.crds.model.node.Gpu;
import java.util.Arrays;
import java.util.Optional;

/**
 * The attributes of a device in conditions (api.md 5.1). Each always has a value, so that no
 * condition needs to test its presence: empty text, -1 or version 0 when unknown.
 */
public enum DeviceAttribute {
  NAME("name", SimpleType.STRING, CelDevice::name),
  UUID("uuid", SimpleType.STRING, CelDevice::uuid),
  TYPE("type", SimpleType.STRING, CelDevice::type),
  INDEX("index", SimpleType.INT, device -> (long) device.gpu().index()),
  MINOR("minor", SimpleType.INT, device -> (long) device.gpu().minor()),
  PRODUCT_NAME("productName", SimpleType.STRING, device -> device.gpu().model().productName()),
  MODEL("model", SimpleType.STRING, device -> device.gpu().model().productName()),
  BRAND("brand", SimpleType.STRING, device -> device.gpu().model().brand()),
  ARCHITECTURE("architecture", SimpleType.STRING, device -> device.gpu().model().architecture()),
  CUDA_COMPUTE_CAPABILITY(
      "cudaComputeCapability",
      Types.VERSION,
      device -> version(device.gpu().model().cudaComputeCapability())),
  DRIVER_VERSION(
      "driverVersion", Types.VERSION, device -> version(device.inventory().driverVersion())),
  CUDA_DRIVER_VERSION(
      "cudaDriverVersion",
      Types.VERSION,
      device -> version(device.inventory().cudaDriverVersion())),
  MEMORY("memory", SimpleType.INT, CelDevice::memoryBytes),
  NOMINAL_MEMORY("nominalMemory", SimpleType.INT, CelDevice::nominalMemoryBytes),
  PCIE_BUS_ID("pcieBusID", SimpleType.STRING, device -> device.gpu().pcieBusId()),
  PCIE_ROOT("pcieRoot", SimpleType.STRING, device -> device.gpu().pcieRoot()),
  NUMA_NODE("numaNode", SimpleType.INT, device -> (long) device.gpu().numaNode()),
  MIG_ENABLED("migEnabled", SimpleType.BOOL, CelDevice::migEnabled),
  MIG_CAPABLE(
      "migCapable",
      SimpleType.BOOL,
      device -> device.gpu().mig().mode() != Gpu.MigMode.UNSUPPORTED),
  MIG_PROFILE("migProfile", SimpleType.STRING, CelDevice::migProfile),
  PARENT_UUID("parentUUID", SimpleType.STRING, CelDevice::parentUuid),
  CAPABILITIES("capabilities", ListType.create(SimpleType.STRING), CelDevice::capabilityList),
  NVLINK_PEERS("nvlinkPeers", SimpleType.INT, CelDevice::nvlinkPeers),
  NODE("node", SimpleType.STRING, device -> device.inventory().node().name()),
  DRIVER("driver", SimpleType.STRING, CelDevice::driver);

  /** The variable of conditions. */
  static final String ROOT = "device";

  /** No text of an inventory is longer, by its schema. */
  private static final SizeBound LONGEST_TEXT = SizeBound.text(256);

  private static final SizeBound MAX_CAPABILITIES = SizeBound.list(32, SizeBound.text(32));

  /** A node has hundreds of places for MIG devices, each with a name. */
  private static final ImmutableSet<DeviceAttribute> APART =
      Sets.immutableEnumSet(NAME, UUID, PARENT_UUID, PCIE_BUS_ID, NODE);

  private static final ImmutableList<String> SHORT_NAMES =
      Arrays.stream(values())
          .map(attribute -> attribute.shortName)
          .collect(ImmutableList.toImmutableList());

  private final String shortName;
  private final CelType type;
  private final Reading value;

  DeviceAttribute(String shortName, CelType type, Reading value) {
    this.shortName = shortName;
    this.type = type;
    this.value = value;
  }

  @Immutable
  private interface Reading {
    Object of(CelDevice device);
  }

  /** Types that CEL does not know. */
  static final class Types {
    static final OpaqueType VERSION = OpaqueType.create("version");

    private Types() {}
  }

  static ImmutableList<String> shortNames() {
    return SHORT_NAMES;
  }

  static Optional<DeviceAttribute> named(String variable) {
    return Arrays.stream(values()).filter(one -> one.variable().equals(variable)).findFirst();
  }

  String shortName() {
    return shortName;
  }

  /** As written in a condition: {@code device.memory}. */
  public String variable() {
    return ROOT + "." + shortName;
  }

  /** The name by which a class forbids it; a MIG device also reveals its GPU's UUID. */
  public String forbiddenAs() {
    return this == PARENT_UUID ? UUID.shortName : shortName;
  }

  CelType type() {
    return type;
  }

  /** The bound of its values. */
  SizeBound most() {
    return switch (type.kind()) {
      case STRING -> LONGEST_TEXT;
      case LIST -> MAX_CAPABILITIES;
      default -> SizeBound.SCALAR;
    };
  }

  /** Whether each device may have another value, so that each must be evaluated. */
  boolean tellsDevicesApart() {
    return APART.contains(this);
  }

  Object of(CelDevice device) {
    return value.of(device);
  }

  private static DottedVersion version(String text) {
    return DottedVersion.parse(text).orElse(DottedVersion.UNKNOWN);
  }
}
