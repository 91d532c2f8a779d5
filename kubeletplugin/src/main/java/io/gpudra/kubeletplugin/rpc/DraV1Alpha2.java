package io.gpudra.kubeletplugin.rpc;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeGrpc;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodePrepareResourceResponse;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeUnprepareResourceRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeUnprepareResourceResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The service of kubelet 1.27, with one claim a call; a refusal is the status of the call. */
final class DraV1Alpha2 extends NodeGrpc.NodeImplBase {

  private final ClaimCalls calls;

  DraV1Alpha2(ClaimCalls calls) {
    this.calls = calls;
  }

  @Override
  public void nodePrepareResource(
      NodePrepareResourceRequest request, StreamObserver<NodePrepareResourceResponse> answer) {
    PrepareCall call = KubeletCall.current();
    WireClaim claim =
        new WireClaim(
            new ClaimUid(request.getClaimUid()),
            new ClaimRef(request.getNamespace(), request.getClaimName()),
            request.getResourceHandle(),
            request.getStructuredResourceHandleCount() > 0);
    ImmutableList<ClaimUid> uids = ImmutableList.of(claim.uid());
    Runnable given =
        KubeletCall.onEnd(answer, () -> calls.answered(uids), () -> calls.abandoned(call, uids));
    for (PrepareOutcome outcome : calls.prepareAll(ImmutableList.of(claim), call).values()) {
      if (outcome instanceof Ready ready) {
        answer.onNext(
            NodePrepareResourceResponse.newBuilder().addAllCdiDevices(ready.cdiDevices()).build());
        given.run();
        answer.onCompleted();
      } else {
        answer.onError(status(((Refused) outcome).refusal()));
      }
    }
  }

  @Override
  public void nodeUnprepareResource(
      NodeUnprepareResourceRequest request, StreamObserver<NodeUnprepareResourceResponse> answer) {
    WireClaim claim =
        new WireClaim(
            new ClaimUid(request.getClaimUid()),
            new ClaimRef(request.getNamespace(), request.getClaimName()),
            request.getResourceHandle(),
            request.getStructuredResourceHandleCount() > 0);
    Optional<PrepareRefusal> problem = calls.unprepare(claim, KubeletCall.current());
    if (problem.isPresent()) {
      answer.onError(status(problem.get()));
      return;
    }
    answer.onNext(NodeUnprepareResourceResponse.getDefaultInstance());
    answer.onCompleted();
  }

  private static StatusRuntimeException status(PrepareRefusal refusal) {
    Status status =
        switch (refusal.kind()) {
          case INVALID -> Status.INVALID_ARGUMENT;
          case NO_DEVICE -> Status.NOT_FOUND;
          case BUSY -> Status.UNAVAILABLE;
          case CANCELLED -> Status.CANCELLED;
          case FAILED -> Status.INTERNAL;
        };
    return status.withDescription(refusal.text()).asRuntimeException();
  }
}
