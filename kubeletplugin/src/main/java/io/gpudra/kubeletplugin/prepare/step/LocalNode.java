package io.gpudra.kubeletplugin.prepare.step;

import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import io.gpudra.kubeletplugin.device.Devices;

/**
 * What the plugin works on.
 *
 * @param name the node's name, as in grants
 * @param bootId differs after each boot of the machine
 */
public record LocalNode(
    String name, String bootId, Devices devices, CdiSpecs specs, CheckpointStore checkpoint) {}
