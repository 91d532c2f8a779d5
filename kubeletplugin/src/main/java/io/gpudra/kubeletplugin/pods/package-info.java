/**
 * The pods on this node as the kernel knows them: by the cgroups that the kubelet creates for them,
 * independently of the API server.
 *
 * <p>What must stay true: nothing is written; a call reads a limited number of directories; an
 * incomplete read has no result.
 */
@NullMarked
package io.gpudra.kubeletplugin.pods;

import org.jspecify.annotations.NullMarked;
