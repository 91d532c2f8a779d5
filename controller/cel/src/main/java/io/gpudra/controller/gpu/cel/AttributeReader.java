package io.gpudra.controller.gpu.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;

/** The attributes of a device as values of CEL. */
final class AttributeReader {

  /** A type that CEL does not know. */
  static final OpaqueType VERSION = OpaqueType.create("version");

  /** No text of an inventory is longer, by its schema. */
  private static final SizeBound MAX_TEXT = SizeBound.text(256);

  private static final SizeBound MAX_CAPABILITIES = SizeBound.list(32, SizeBound.text(32));

  private AttributeReader() {}

  static CelType type(DeviceAttribute attribute) {
    return switch (attribute.type()) {
      case TEXT -> SimpleType.STRING;
      case INT -> SimpleType.INT;
      case BOOL -> SimpleType.BOOL;
      case VERSION -> VERSION;
      case TEXTS -> ListType.create(SimpleType.STRING);
    };
  }

  /** The maximum size of the values. */
  static SizeBound most(DeviceAttribute attribute) {
    return switch (attribute.type()) {
      case TEXT -> MAX_TEXT;
      case TEXTS -> MAX_CAPABILITIES;
      case INT, BOOL, VERSION -> SizeBound.SCALAR;
    };
  }

  static Object value(DeviceAttribute attribute, CelDevice device) {
    Gpu gpu = device.gpu();
    return switch (attribute) {
      case NAME -> device.name();
      case UUID -> device.uuid();
      case TYPE -> device.type();
      case INDEX -> (long) gpu.index();
      case MINOR -> (long) gpu.minor();
      case PRODUCT_NAME, MODEL -> gpu.model().productName();
      case BRAND -> gpu.model().brand();
      case ARCHITECTURE -> gpu.model().architecture();
      case CUDA_COMPUTE_CAPABILITY -> version(gpu.model().cudaComputeCapability());
      case DRIVER_VERSION -> version(device.inventory().driverVersion());
      case CUDA_DRIVER_VERSION -> version(device.inventory().cudaDriverVersion());
      case MEMORY -> device.memoryBytes();
      case NOMINAL_MEMORY -> device.nominalMemoryBytes();
      case PCIE_BUS_ID -> gpu.pcieBusId();
      case PCIE_ROOT -> gpu.pcieRoot();
      case NUMA_NODE -> (long) gpu.numaNode();
      case MIG_ENABLED -> device.migEnabled();
      case MIG_CAPABLE -> gpu.mig().mode() != MigMode.UNSUPPORTED;
      case MIG_PROFILE -> device.migProfile();
      case PARENT_UUID -> device.parentUuid();
      case CAPABILITIES -> device.capabilityList();
      case NVLINK_PEERS -> device.nvlinkPeers();
      case NODE -> device.inventory().node().name();
      case DRIVER -> device.driver();
      default -> reported(attribute, gpu);
    };
  }

  private static Object reported(DeviceAttribute attribute, Gpu gpu) {
    Object value = gpu.attributes().get(attribute);
    return attribute.type() == DeviceAttribute.Type.VERSION ? version((String) value) : value;
  }

  private static DottedVersion version(String text) {
    return DottedVersion.parse(text).orElse(DottedVersion.UNKNOWN);
  }
}
