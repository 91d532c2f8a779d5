/**
 * The node's GPUs: fake profiles now, NVIDIA hardware behind the same interface. A {@link
 * io.gpudra.kubeletplugin.device.Profile} is a YAML file of {@code profiles/} on the class path, or
 * one of somebody's own.
 */
@NullMarked
package io.gpudra.kubeletplugin.device;

import org.jspecify.annotations.NullMarked;
