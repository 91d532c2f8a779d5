package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Instance;

/**
 * The properties common to all GPUs of one product.
 *
 * @param productName as the driver reports it, such as {@code NVIDIA A100-SXM4-80GB}
 * @param brand such as {@code Nvidia} or {@code Tesla}; empty when unknown
 * @param architecture such as {@code Ampere}; empty when unknown
 * @param cudaComputeCapability dotted number such as {@code 8.0}; empty when unknown
 * @param nominalMemoryBytes the nominal size in bytes
 * @param capabilities names of api.md 5.2 such as {@code tensorCores}
 * @param migProfiles of the GPU, in the order of the driver
 */
public record GpuModel(
    String productName,
    String brand,
    String architecture,
    String cudaComputeCapability,
    long nominalMemoryBytes,
    ImmutableSortedSet<String> capabilities,
    ImmutableList<MigProfile> migProfiles) {

  private static final int HOPPER = 9;

  /** Hashes the name only: models are compared for each GPU that is evaluated. */
  @Override
  public int hashCode() {
    return productName.hashCode();
  }

  /**
   * Whether the driver rounds compute instances up to a power of two, and starts them at a multiple
   * of it: from Hopper on.
   */
  public boolean alignsComputeInstances() {
    int dot = cudaComputeCapability.indexOf('.');
    Integer major = dot < 0 ? null : Ints.tryParse(cudaComputeCapability.substring(0, dot));
    return major != null && major >= HOPPER;
  }

  /** The slices that a compute instance blocks for others. */
  public Instance room(Instance one) {
    return alignsComputeInstances() ? one.aligned() : one;
  }

  /** A model without MIG. */
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
