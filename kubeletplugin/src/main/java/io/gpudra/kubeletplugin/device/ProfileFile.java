package io.gpudra.kubeletplugin.device;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A profile as users write it; see {@code profiles/} on the class path for examples. Sizes are text
 * with a unit.
 *
 * @param driverVersion empty when absent
 * @param cudaDriverVersion empty when absent
 * @param products of this file, beside those that are shipped
 * @param gpus of the node, in the order of their index
 * @param links GPUs that reach each other without the PCIe bus
 */
record ProfileFile(
    @Nullable String driverVersion,
    @Nullable String cudaDriverVersion,
    @Nullable List<ProductEntry> products,
    @Nullable List<GpuEntry> gpus,
    @Nullable List<LinkEntry> links) {

  /**
   * A product.
   *
   * @param name to which GPUs refer
   * @param memory as the driver reports it
   * @param nominalMemory the nominal size; follows from memory when absent
   * @param attributes of each GPU, as an inventory has them
   * @param mig Unsupported, Disabled or Enabled; Unsupported when absent
   * @param migSwitchable whether the plugin may change the mode; no when absent
   */
  record ProductEntry(
      @Nullable String name,
      @Nullable String productName,
      @Nullable String brand,
      @Nullable String architecture,
      @Nullable String cudaComputeCapability,
      @Nullable String memory,
      @Nullable String nominalMemory,
      @Nullable List<String> capabilities,
      @Nullable Map<String, String> attributes,
      @Nullable String mig,
      @Nullable Boolean migSwitchable,
      @Nullable List<MigProfileEntry> migProfiles) {}

  /** As in an inventory, but {@code memory} has a unit. */
  record MigProfileEntry(
      @Nullable String profile,
      @Nullable String memory,
      @Nullable Integer compute,
      @Nullable Integer size,
      @Nullable List<Integer> starts,
      @Nullable Integer most) {}

  /**
   * A GPU.
   *
   * @param product name of a product
   * @param mig if other than the product's
   * @param migDevices that exist before the plugin creates any
   */
  record GpuEntry(
      @Nullable String product,
      @Nullable String pcieBusID,
      @Nullable String pcieRoot,
      @Nullable Integer numaNode,
      @Nullable String mig,
      @Nullable List<MigDeviceEntry> migDevices) {}

  /**
   * A MIG device that was not created for a claim.
   *
   * @param foreign whether other software uses it; if not, it can be allocated unchanged
   */
  record MigDeviceEntry(
      @Nullable String profile, @Nullable Integer start, @Nullable Boolean foreign) {}

  /**
   * GPUs every pair of which is connected.
   *
   * @param type NVLink or NVSwitch
   * @param gpus their positions in the profile, from 0
   */
  record LinkEntry(@Nullable String type, @Nullable Integer lanes, @Nullable List<Integer> gpus) {}
}
