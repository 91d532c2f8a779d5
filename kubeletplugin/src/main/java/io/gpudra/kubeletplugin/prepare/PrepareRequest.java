package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;

/**
 * The kubelet asks for a claim to be made ready.
 *
 * @param uid as the kubelet says; the grant must be for this claim
 */
public record PrepareRequest(ClaimUid uid, ClaimRef ref, Grant grant) {

  PrepareRequest with(Grant other) {
    return new PrepareRequest(uid, ref, other);
  }
}
