/** The plugin's process: options, wiring, health. Start at {@code Main}. */
@NullMarked
package io.gpudra.kubeletplugin.app;

import org.jspecify.annotations.NullMarked;
