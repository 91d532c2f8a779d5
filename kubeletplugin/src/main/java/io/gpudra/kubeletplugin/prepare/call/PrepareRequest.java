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
 * The kubelet asks for a claim to be made ready.
 *
 * @param uid as the kubelet says; the grant must be for this claim
 * @param pods who may use the claim, where that is to be kept
 * @param live whether the grant is what the API server says, not what the kubelet remembers
 */
public record PrepareRequest(
    ClaimUid uid, ClaimRef ref, Grant grant, Optional<Pods> pods, boolean live) {

  /** By whoever. */
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

  /** The same, by such pods. */
  public PrepareRequest by(Optional<Pods> users) {
    return new PrepareRequest(uid, ref, grant, users, live);
  }

  /** The devices, by the UUID of their GPU. */
  public ImmutableListMultimap<String, GrantedDevice> byGpu() {
    return Multimaps.index(grant.devices(), GrantedDevice::uuid);
  }
}
