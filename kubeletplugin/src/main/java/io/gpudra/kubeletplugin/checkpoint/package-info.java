/** The plugin's state across restarts: one versioned, checksummed file. */
@NullMarked
package io.gpudra.kubeletplugin.checkpoint;

import org.jspecify.annotations.NullMarked;
