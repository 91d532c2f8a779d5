/**
 * Programs of a GPU's driver that do one thing and end: {@link
 * io.gpudra.kubeletplugin.device.program.DriverProgram}.
 *
 * <p>What must stay true: none of them is waited for longer than was said, and none outlives its
 * run.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.program;

import org.jspecify.annotations.NullMarked;
