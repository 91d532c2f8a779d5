package io.gpudra.kubeletplugin.prepare.call;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;

/**
 * The kubelet asks for a claim to be made ready.
 *
 * @param uid as the kubelet says; the grant must be for this claim
 */
public record PrepareRequest(ClaimUid uid, ClaimRef ref, Grant grant) {

  /** The same, for another grant. */
  public PrepareRequest with(Grant other) {
    return new PrepareRequest(uid, ref, other);
  }

  /** The devices, by the UUID of their GPU. */
  public ImmutableListMultimap<String, GrantedDevice> byGpu() {
    return Multimaps.index(grant.devices(), GrantedDevice::uuid);
  }
}
