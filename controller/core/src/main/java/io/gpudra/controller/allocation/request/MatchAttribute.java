package io.gpudra.controller.allocation.request;

/** Attributes in which a claim's devices may have to agree; named as in conditions. */
public enum MatchAttribute {
  PRODUCT_NAME("productName"),
  ARCHITECTURE("architecture"),
  BRAND("brand"),
  CUDA_COMPUTE_CAPABILITY("cudaComputeCapability"),
  MEMORY("memory"),
  MIG_PROFILE("migProfile"),
  NUMA_NODE("numaNode"),
  PARENT_UUID("parentUUID"),
  PCIE_ROOT("pcieRoot");

  private final String attribute;

  MatchAttribute(String attribute) {
    this.attribute = attribute;
  }

  /** As users write it. */
  public String attribute() {
    return attribute;
  }
}
