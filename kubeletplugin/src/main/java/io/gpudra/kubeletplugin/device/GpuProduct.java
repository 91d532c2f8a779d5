package io.gpudra.kubeletplugin.device;

import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;

/**
 * A product that fake nodes can have, with what NVML reports for it.
 *
 * @param memoryBytes the memory that one GPU reports, usually less than the nominal size
 * @param migSwitchable whether the plugin may change the MIG mode
 */
record GpuProduct(
    GpuModel model,
    long memoryBytes,
    AttributeValues attributes,
    MigMode mig,
    boolean migSwitchable) {}
