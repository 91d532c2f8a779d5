package io.gpudra.kubeletplugin.rpc;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.Claim;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourceResponse;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourcesResponse;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeUnprepareResourceResponse;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeUnprepareResourcesResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;

/**
 * The service of kubelets 1.28 to 1.30; listing resources stays unimplemented (protocol.md N16).
 */
final class DraV1Alpha3 extends NodeGrpc.NodeImplBase {

  private final ClaimCalls calls;

  DraV1Alpha3(ClaimCalls calls) {
    this.calls = calls;
  }

  @Override
  public void nodePrepareResources(
      NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> answer) {
    PrepareCall call = KubeletCall.current();
    ImmutableList<WireClaim> claims = read(request.getClaimsList());
    ImmutableList<ClaimUid> uids = ClaimCalls.uids(claims);
    Runnable given =
        KubeletCall.onEnd(answer, () -> calls.answered(uids), () -> calls.abandoned(call, uids));
    NodePrepareResourcesResponse.Builder response = NodePrepareResourcesResponse.newBuilder();
    calls
        .prepareAll(claims, call)
        .forEach((uid, outcome) -> response.putClaims(uid.value(), write(outcome)));
    answer.onNext(response.build());
    given.run();
    answer.onCompleted();
  }

  @Override
  public void nodeUnprepareResources(
      NodeUnprepareResourcesRequest request,
      StreamObserver<NodeUnprepareResourcesResponse> answer) {
    NodeUnprepareResourcesResponse.Builder response = NodeUnprepareResourcesResponse.newBuilder();
    calls
        .unprepareAll(read(request.getClaimsList()), KubeletCall.current())
        .forEach((uid, problem) -> response.putClaims(uid.value(), write(problem)));
    answer.onNext(response.build());
    answer.onCompleted();
  }

  private static ImmutableList<WireClaim> read(List<Claim> claims) {
    return claims.stream()
        .map(
            claim ->
                new WireClaim(
                    new ClaimUid(claim.getUid()),
                    new ClaimRef(claim.getNamespace(), claim.getName()),
                    claim.getResourceHandle(),
                    claim.getStructuredResourceHandleCount() > 0))
        .collect(toImmutableList());
  }

  private static NodePrepareResourceResponse write(PrepareOutcome outcome) {
    NodePrepareResourceResponse.Builder entry = NodePrepareResourceResponse.newBuilder();
    return outcome instanceof Ready ready
        ? entry.addAllCdiDevices(ready.cdiDevices()).build()
        : entry.setError(((Refused) outcome).refusal().text()).build();
  }

  private static NodeUnprepareResourceResponse write(Optional<PrepareRefusal> problem) {
    return NodeUnprepareResourceResponse.newBuilder()
        .setError(problem.map(PrepareRefusal::text).orElse(""))
        .build();
  }
}
