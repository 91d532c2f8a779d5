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
 * The kubelet's request to prepare a claim.
 *
 * @param uid from the kubelet; the grant must be for this claim
 * @param pods that may use the claim, if they are to be recorded
 * @param live whether the grant is from the API server and not from the kubelet's checkpoint
 */
public record PrepareRequest(
    ClaimUid uid, ClaimRef ref, Grant grant, Optional<Pods> pods, boolean live) {

  /** A request without a record of the pods. */
  public PrepareRequest(ClaimUid uid, ClaimRef ref, Grant grant) {
    this(uid, ref, grant, Optional.empty(), /* live= */ false);
  }

  /** The same request for another grant. */
  public PrepareRequest with(Grant other) {
    return new PrepareRequest(uid, ref, other, pods, live);
  }

  /** The same request for the claim's current grant. */
  public PrepareRequest granted(Grant now) {
    return new PrepareRequest(uid, ref, now, pods, /* live= */ true);
  }

  /** The same request for these pods. */
  public PrepareRequest by(Optional<Pods> users) {
    return new PrepareRequest(uid, ref, grant, users, live);
  }

  /** The devices, by the UUID of their GPU. */
  public ImmutableListMultimap<String, GrantedDevice> byGpu() {
    return Multimaps.index(grant.devices(), GrantedDevice::uuid);
  }
}
