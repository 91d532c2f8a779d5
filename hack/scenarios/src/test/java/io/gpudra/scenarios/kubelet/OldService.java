package io.gpudra.scenarios.kubelet;

import io.gpudra.scenarios.kubelet.ScriptedPlugin.Answer;
import io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.NodeImplBase;
import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceResponse;
import io.gpudra.simulator.proto.dra.v1alpha2.NodeUnprepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha2.NodeUnprepareResourceResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The service v1alpha2, as of 1.27, with one claim in each call. */
final class OldService extends NodeImplBase {
  private final ScriptedPlugin plugin;

  OldService(ScriptedPlugin plugin) {
    this.plugin = plugin;
  }

  @Override
  public void nodePrepareResource(
      NodePrepareResourceRequest request, StreamObserver<NodePrepareResourceResponse> observer) {
    Claim claim =
        Claim.newBuilder()
            .setNamespace(request.getNamespace())
            .setUid(request.getClaimUid())
            .setName(request.getClaimName())
            .setResourceHandle(request.getResourceHandle())
            .build();
    ScriptedPlugin.reply(
        observer,
        () -> {
          Answer answer = plugin.prepare(List.of(claim)).get(claim.getUid());
          return NodePrepareResourceResponse.newBuilder()
              .addAllCdiDevices(answer.devices())
              .build();
        });
  }

  @Override
  public void nodeUnprepareResource(
      NodeUnprepareResourceRequest request,
      StreamObserver<NodeUnprepareResourceResponse> observer) {
    Claim claim =
        Claim.newBuilder()
            .setNamespace(request.getNamespace())
            .setUid(request.getClaimUid())
            .setName(request.getClaimName())
            .setResourceHandle(request.getResourceHandle())
            .build();
    plugin.unprepare(List.of(claim));
    ScriptedPlugin.reply(observer, NodeUnprepareResourceResponse::getDefaultInstance);
  }
}
