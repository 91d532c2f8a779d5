package io.gpudra.kubeletplugin.rpc;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/**
 * One claim of a request, as the kubelet sent it.
 *
 * @param handle text of the resource handle, unread
 * @param structured whether the claim was allocated by the scheduler instead of a controller
 */
record WireClaim(ClaimUid uid, ClaimRef ref, String handle, boolean structured) {}
