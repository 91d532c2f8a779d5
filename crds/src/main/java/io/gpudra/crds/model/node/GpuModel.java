package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;

/**
 * What all GPUs of one product have in common.
 *
 * @param productName as the driver reports it, such as {@code NVIDIA A100-SXM4-80GB}
 * @param brand such as {@code Nvidia} or {@code Tesla}; empty when unknown
 * @param architecture such as {@code Ampere}; empty when unknown
 * @param cudaComputeCapability dotted number such as {@code 8.0}; empty when unknown
 * @param nominalMemoryBytes the size on the box, in bytes
 * @param capabilities names of api.md 5.2 such as {@code tensorCores}
 * @param migProfiles what the GPU can be cut into, in the order of the driver
 */
public record GpuModel(
    String productName,
    String brand,
    String architecture,
    String cudaComputeCapability,
    long nominalMemoryBytes,
    ImmutableSortedSet<String> capabilities,
    ImmutableList<MigProfile> migProfiles) {

  /** By name only: models are told apart for each GPU that is judged. */
  @Override
  public int hashCode() {
    return productName.hashCode();
  }

  /** One that cannot be cut. */
  public GpuModel(
      String productName,
      String brand,
      String architecture,
      String cudaComputeCapability,
      long nominalMemoryBytes,
      ImmutableSortedSet<String> capabilities) {
    this(
        productName,
        brand,
        architecture,
        cudaComputeCapability,
        nominalMemoryBytes,
        capabilities,
        ImmutableList.of());
  }
}
