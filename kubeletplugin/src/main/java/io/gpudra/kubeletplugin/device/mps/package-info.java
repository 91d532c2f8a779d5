/**
 * Servers through which the processes of several clients use a GPU at a time: start at {@link
 * io.gpudra.kubeletplugin.device.mps.MpsServers}, which has real processes ({@link
 * io.gpudra.kubeletplugin.device.mps.MpsProcesses}) and some on paper.
 *
 * <p>What must stay true: starting what runs as wanted and stopping what does not run change
 * nothing; a server is found again by its directory, whoever started it, and its processes by what
 * they have in their environment; as long as it is wanted, its clients find it at the same place; a
 * limit that it does not have is not told as one. Which GPUs there are, and what else is done to
 * them, is not known here.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.mps;

import org.jspecify.annotations.NullMarked;
