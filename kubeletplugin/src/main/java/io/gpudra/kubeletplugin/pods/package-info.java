/**
 * Which pods there are on this node, as the kernel knows it: by the cgroups that the kubelet makes
 * for them, whatever the API server or the kubelet says.
 *
 * <p>What must stay true: nothing is written; a look is bounded in directories; what cannot be seen
 * whole is not seen at all.
 */
@NullMarked
package io.gpudra.kubeletplugin.pods;

import org.jspecify.annotations.NullMarked;
