/**
 * The plugin's process. {@link io.gpudra.kubeletplugin.app.Main} reads the options, {@link
 * io.gpudra.kubeletplugin.app.PluginProcess} wires, starts and stops everything.
 *
 * <p>What must stay true: nobody imports this package; the order of start is state, inventory, DRA
 * socket, registration socket, and that of stop the reverse; after a boot the sockets wait until it
 * is known what the kubelet may use without a call.
 */
@NullMarked
package io.gpudra.kubeletplugin.app;

import org.jspecify.annotations.NullMarked;
