/** The node's GPUs: fake profiles now, NVIDIA hardware behind the same interface. */
@NullMarked
package io.gpudra.kubeletplugin.device;

import org.jspecify.annotations.NullMarked;
