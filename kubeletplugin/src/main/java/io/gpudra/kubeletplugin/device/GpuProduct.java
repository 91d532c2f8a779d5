package io.gpudra.kubeletplugin.device;

import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;

/**
 * A product that fake nodes can have, with what NVML reports for it.
 *
 * @param memoryBytes what one GPU reports, usually less than the size on the box
 * @param migSwitchable whether the plugin may change the MIG mode
 */
record GpuProduct(
    GpuModel model,
    long memoryBytes,
    AttributeValues attributes,
    MigMode mig,
    boolean migSwitchable) {}
