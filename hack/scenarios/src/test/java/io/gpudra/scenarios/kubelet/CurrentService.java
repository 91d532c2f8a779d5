package io.gpudra.scenarios.kubelet;

import com.google.common.collect.Maps;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Answer;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeGrpc.NodeImplBase;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourceResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourceResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourcesResponse;
import io.grpc.stub.StreamObserver;

/** The service v1alpha3, as of 1.28 to 1.30. */
final class CurrentService extends NodeImplBase {
  private final ScriptedPlugin plugin;

  CurrentService(ScriptedPlugin plugin) {
    this.plugin = plugin;
  }

  @Override
  public void nodePrepareResources(
      NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> observer) {
    ScriptedPlugin.reply(
        observer,
        () ->
            NodePrepareResourcesResponse.newBuilder()
                .putAllClaims(
                    Maps.transformValues(
                        plugin.prepare(request.getClaimsList()), CurrentService::prepared))
                .build());
  }

  private static NodePrepareResourceResponse prepared(Answer answer) {
    return NodePrepareResourceResponse.newBuilder()
        .addAllCdiDevices(answer.devices())
        .setError(answer.error())
        .build();
  }

  @Override
  public void nodeUnprepareResources(
      NodeUnprepareResourcesRequest request,
      StreamObserver<NodeUnprepareResourcesResponse> observer) {
    ScriptedPlugin.reply(
        observer,
        () ->
            NodeUnprepareResourcesResponse.newBuilder()
                .putAllClaims(
                    Maps.transformValues(
                        plugin.unprepare(request.getClaimsList()), CurrentService::unprepared))
                .build());
  }

  private static NodeUnprepareResourceResponse unprepared(Answer answer) {
    return NodeUnprepareResourceResponse.newBuilder().setError(answer.error()).build();
  }
}
