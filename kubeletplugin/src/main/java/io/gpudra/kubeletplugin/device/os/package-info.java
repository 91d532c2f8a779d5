/**
 * Programs of a GPU's driver: those that do one thing and end ({@link
 * io.gpudra.kubeletplugin.device.os.DriverProgram}), and those that stay and need mounts of their
 * own ({@link io.gpudra.kubeletplugin.device.os.PrivateMounts}) and directories that containers may
 * use ({@link io.gpudra.kubeletplugin.device.os.ContainerLabel}). Files that stand for devices are
 * made here, too ({@link io.gpudra.kubeletplugin.device.os.DeviceFile}).
 *
 * <p>What must stay true: the wait for a program that ends has a limit.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.os;

import org.jspecify.annotations.NullMarked;
