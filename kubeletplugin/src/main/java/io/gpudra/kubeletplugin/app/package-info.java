/**
 * The plugin's process. {@link io.gpudra.kubeletplugin.app.PluginMain} reads the options, {@link
 * io.gpudra.kubeletplugin.app.PluginProcess} wires, starts and stops everything.
 *
 * <p>What must stay true: no package imports this one. The order of start is state, inventory, DRA
 * socket, registration socket; the order of stop is the reverse. After a boot the sockets wait
 * until it is known which claims the kubelet may use without a call.
 */
@NullMarked
package io.gpudra.kubeletplugin.app;

import org.jspecify.annotations.NullMarked;
