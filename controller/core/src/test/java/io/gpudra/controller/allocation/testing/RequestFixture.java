package io.gpudra.controller.allocation.testing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import java.util.Optional;
import java.util.OptionalLong;

/** The request of a claim, to be changed. */
public final class RequestFixture {
  private ClaimUid uid;
  private ClaimRef ref;
  private final ImmutableList<RequestAlternative> alternatives;
  private Optional<ClaimRequest.Parent> inside = Optional.empty();
  private AllocationPolicy policy = AllocationPolicy.PACK;
  private ImmutableList<DeviceToleration> tolerations = ImmutableList.of();
  private OptionalLong generation = OptionalLong.empty();
  private Optional<NodeSelector> admittedNodes = Optional.empty();
  private boolean mayStillBePrepared;
  private Optional<NodeDemand> demand = Optional.empty();

  /** A claim with a UID after its name. */
  public RequestFixture(ClaimRef ref, ImmutableList<RequestAlternative> alternatives) {
    this.uid = new ClaimUid("uid-of-" + ref.name());
    this.ref = ref;
    this.alternatives = alternatives;
  }

  private RequestFixture(ClaimRequest claim) {
    uid = claim.uid();
    ref = claim.ref();
    alternatives = claim.alternatives();
    inside = claim.inside();
    policy = claim.policy();
    tolerations = claim.tolerations();
    generation = claim.generation();
    admittedNodes = claim.admittedNodes();
    mayStillBePrepared = claim.mayStillBePrepared();
    demand = claim.demand();
  }

  public static RequestFixture like(ClaimRequest claim) {
    return new RequestFixture(claim);
  }

  public RequestFixture uid(String value) {
    uid = new ClaimUid(value);
    return this;
  }

  public RequestFixture namespace(String value) {
    ref = new ClaimRef(value, ref.name());
    return this;
  }

  public RequestFixture inside(ClaimRequest parent) {
    inside = Optional.of(new ClaimRequest.Parent(parent.uid(), parent.ref()));
    return this;
  }

  public RequestFixture policy(AllocationPolicy value) {
    policy = value;
    return this;
  }

  public RequestFixture tolerating(DeviceToleration value) {
    tolerations = ImmutableList.of(value);
    return this;
  }

  public RequestFixture generation(long value) {
    generation = OptionalLong.of(value);
    return this;
  }

  public RequestFixture admittedOn(NodeSelector value) {
    admittedNodes = Optional.of(value);
    return this;
  }

  public RequestFixture mayStillBePrepared() {
    mayStillBePrepared = true;
    return this;
  }

  public ClaimRequest build() {
    return new ClaimRequest(
        uid,
        ref,
        alternatives,
        inside,
        policy,
        tolerations,
        generation,
        admittedNodes,
        mayStillBePrepared,
        demand);
  }
}
