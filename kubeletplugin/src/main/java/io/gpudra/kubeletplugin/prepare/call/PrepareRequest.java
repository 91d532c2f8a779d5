package io.gpudra.kubeletplugin.prepare.call;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import java.util.Optional;

/**
 * The kubelet asks for a claim to be prepared.
 *
 * @param uid as the kubelet says; the grant must be for this claim
 * @param pods that may use the claim, if they are to be recorded
 * @param live whether the grant is from the API server and not from the memory of the kubelet
 */
public record PrepareRequest(
    ClaimUid uid, ClaimRef ref, Grant grant, Optional<Pods> pods, boolean live) {

  /** Without a record of the pods. */
  public PrepareRequest(ClaimUid uid, ClaimRef ref, Grant grant) {
    this(uid, ref, grant, Optional.empty(), /* live= */ false);
  }

  /** The same, for another grant. */
  public PrepareRequest with(Grant other) {
    return new PrepareRequest(uid, ref, other, pods, live);
  }

  /** The same, for the grant that the claim has now. */
  public PrepareRequest granted(Grant now) {
    return new PrepareRequest(uid, ref, now, pods, /* live= */ true);
  }

  /** The same, for these pods. */
  public PrepareRequest by(Optional<Pods> users) {
    return new PrepareRequest(uid, ref, grant, users, live);
  }

  /** The devices, by the UUID of their GPU. */
  public ImmutableListMultimap<String, GrantedDevice> byGpu() {
    return Multimaps.index(grant.devices(), GrantedDevice::uuid);
  }
}
