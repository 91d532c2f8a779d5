/**
 * MPS servers, through which the processes of several clients use a GPU at the same time: start at
 * {@link io.gpudra.kubeletplugin.device.mps.MpsServers}, which has real processes ({@link
 * io.gpudra.kubeletplugin.device.mps.MpsProcesses}) and fake ones.
 *
 * <p>What must stay true: starting a server that runs as wanted and stopping one that does not run
 * change nothing. A server is found again by its directory, and its processes by their environment,
 * even if an earlier process started them. As long as it is wanted, its clients find it at the same
 * place. A limit that it does not have is not reported as one. This package does not know the GPUs,
 * nor other changes to them.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.mps;

import org.jspecify.annotations.NullMarked;
