package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The name of an attribute in {@code resource.k8s.io/v1}: one table for {@link V1SyntaxRewriter},
 * which reads them, and for the translation of manifests, which writes them.
 *
 * @param domain of the name; empty for that of the driver
 * @param maybeAbsent whether a device without a value has no such attribute
 * @param alsoRead further names in the domain of the driver
 */
public record V1Name(
    DeviceAttribute attribute,
    Place place,
    String domain,
    String name,
    boolean maybeAbsent,
    ImmutableSet<String> alsoRead) {

  /** The domain of names that Kubernetes defines. */
  public static final String STANDARD = "resource.kubernetes.io";

  /** The domain of NVIDIA's driver, which is also read. */
  public static final String NVIDIA = "gpu.nvidia.com";

  private static final ImmutableList<V1Name> ALL =
      ImmutableList.of(
          own(DeviceAttribute.NAME),
          own(DeviceAttribute.UUID).maybe(),
          own(DeviceAttribute.TYPE),
          own(DeviceAttribute.INDEX),
          own(DeviceAttribute.MINOR),
          own(DeviceAttribute.PRODUCT_NAME),
          named(DeviceAttribute.MODEL, "", "productName", "model"),
          own(DeviceAttribute.BRAND),
          own(DeviceAttribute.ARCHITECTURE),
          own(DeviceAttribute.CUDA_COMPUTE_CAPABILITY),
          own(DeviceAttribute.DRIVER_VERSION),
          own(DeviceAttribute.CUDA_DRIVER_VERSION),
          own(DeviceAttribute.MEMORY).capacity(),
          own(DeviceAttribute.NOMINAL_MEMORY).capacity(),
          named(DeviceAttribute.PCIE_BUS_ID, STANDARD, "pciBusID", "pcieBusID").maybe(),
          named(DeviceAttribute.PCIE_ROOT, STANDARD, "pcieRoot", "pcieRoot").maybe(),
          named(DeviceAttribute.NUMA_NODE, STANDARD, "numaNode", "numaNode", "numa").maybe(),
          own(DeviceAttribute.PCIE_DEVICE_ID).maybe(),
          own(DeviceAttribute.MIG_ENABLED),
          own(DeviceAttribute.MIG_CAPABLE),
          named(DeviceAttribute.MIG_PROFILE, "", "profile", "migProfile").maybe(),
          own(DeviceAttribute.PARENT_UUID).maybe(),
          own(DeviceAttribute.NVLINK_PEERS));

  /** The map of a device that has the name. */
  public enum Place {
    ATTRIBUTE,
    CAPACITY;

    /** Its name in a condition. */
    public String map() {
      return this == ATTRIBUTE ? "attributes" : "capacity";
    }
  }

  /** All names; the node and the driver of a device have none, and capabilities have many. */
  public static ImmutableList<V1Name> all() {
    return ALL;
  }

  /** The name of that attribute. */
  public static Optional<V1Name> of(DeviceAttribute attribute) {
    return ALL.stream().filter(one -> one.attribute == attribute).findFirst();
  }

  /** The names by which conditions may read it in this domain. */
  Stream<String> readIn(String other) {
    return Stream.concat(
        domain.equals(other) ? Stream.of(name) : Stream.empty(),
        other.isEmpty() ? alsoRead.stream() : Stream.empty());
  }

  private static V1Name own(DeviceAttribute attribute) {
    return named(attribute, "", attribute.shortName());
  }

  private static V1Name named(
      DeviceAttribute attribute, String domain, String name, String... alsoRead) {
    return new V1Name(
        attribute, Place.ATTRIBUTE, domain, name, false, ImmutableSet.copyOf(alsoRead));
  }

  private V1Name capacity() {
    return new V1Name(attribute, Place.CAPACITY, domain, name, maybeAbsent, alsoRead);
  }

  private V1Name maybe() {
    return new V1Name(attribute, place, domain, name, true, alsoRead);
  }
}
