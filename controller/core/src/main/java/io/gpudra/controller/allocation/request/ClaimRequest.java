package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The request of one claim.
 *
 * @param alternatives at least one; the first that fits is used
 * @param inside the claim out of whose devices all MIG devices are carved
 * @param tolerations the taints of GPUs that the claim tolerates
 * @param generation of the parameters that were read, copied into the grant
 * @param admittedNodes the nodes that the claim's class allows; used only when the driver chooses
 *     the node, since the scheduler checks them itself
 * @param mayStillBePrepared whether an unknown node may still have it prepared from an earlier
 *     allocation
 * @param demand of the pod on its node; used only when the driver chooses the node for a pod
 */
public record ClaimRequest(
    ClaimUid uid,
    ClaimRef ref,
    ImmutableList<RequestAlternative> alternatives,
    Optional<Parent> inside,
    AllocationPolicy policy,
    ImmutableList<DeviceToleration> tolerations,
    OptionalLong generation,
    Optional<NodeSelector> admittedNodes,
    boolean mayStillBePrepared,
    Optional<NodeDemand> demand) {

  /** The order in which the claims of a pod, which are of one namespace, are served. */
  public static final Comparator<ClaimRequest> BY_NAME =
      Comparator.comparing((ClaimRequest claim) -> claim.ref().name())
          .thenComparing(ClaimRequest::uid);

  /** Refuses a request for nothing. */
  public ClaimRequest {
    if (alternatives.isEmpty()) {
      throw new IllegalArgumentException("claim " + ref + " asks for nothing");
    }
  }

  /** The same claim, of a pod with this demand on its node. */
  ClaimRequest fitting(NodeDemand ofPod) {
    return with(alternatives, tolerations, Optional.of(ofPod));
  }

  /** The same claim with another request. */
  public ClaimRequest with(ImmutableList<RequestAlternative> others) {
    return with(others, tolerations, demand);
  }

  /** The same claim, which tolerates all taints of devices. */
  public ClaimRequest toleratingAll() {
    return with(alternatives, ImmutableList.of(DeviceToleration.ALL), demand);
  }

  private ClaimRequest with(
      ImmutableList<RequestAlternative> others,
      ImmutableList<DeviceToleration> tolerated,
      Optional<NodeDemand> demanded) {
    return new ClaimRequest(
        uid,
        ref,
        others,
        inside,
        policy,
        tolerated,
        generation,
        admittedNodes,
        mayStillBePrepared,
        demanded);
  }

  /**
   * The request without its name, equal for all claims with the same request regardless of their
   * policy. No claim has such a name, and so none has its kubelet key.
   *
   * @param number distinguishes the claims of one pod
   */
  public ClaimRequest anonymous(int number) {
    return anonymous(number, Optional.empty());
  }

  /**
   * The same of a claim that may be carved out of another one.
   *
   * @param parent see {@link #inside}
   */
  public ClaimRequest anonymous(int number, Optional<Parent> parent) {
    Parent name = Parent.anonymous(number);
    return new ClaimRequest(
        name.uid(),
        name.ref(),
        alternatives,
        parent,
        AllocationPolicy.PACK,
        tolerations,
        OptionalLong.empty(),
        admittedNodes,
        /* mayStillBePrepared= */ false,
        demand);
  }

  /** Whether the claim's allocation may be more than a list of whole GPUs. */
  public boolean wantsMoreThanWholeGpus() {
    // Called for each claim and node: loops allocate no memory.
    for (RequestAlternative alternative : alternatives) {
      for (DeviceSubRequest subRequest : alternative.subRequests()) {
        if (!subRequest.isOfUnsharedGpus()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the claim sees all GPUs of a node that has a matching one, and holds none. */
  public boolean monitors() {
    return only().kind() instanceof DeviceKind.MonitorAccess;
  }

  /** Whether the claim only requests a number of whole GPUs, like nearly all claims. */
  public boolean isPlain() {
    RequestAlternative first = alternatives.get(0);
    return alternatives.size() == 1
        && first.subRequests().size() == 1
        && first.deviceConstraints().isAnyhow()
        && only().kind() instanceof DeviceKind.Whole
        && !only().all();
  }

  /** The only sub-request of a claim that is plain or monitors. */
  public DeviceSubRequest only() {
    return alternatives.get(0).subRequests().get(0);
  }

  /** A claim out of whose devices those of another claim are carved. */
  public record Parent(ClaimUid uid, ClaimRef ref) {

    /** The name of {@link ClaimRequest#anonymous(int)}. */
    public static Parent anonymous(int number) {
      String name = (number < 10 ? "0" : "") + number;
      return new Parent(new ClaimUid(name), new ClaimRef("", "/" + name));
    }
  }
}
