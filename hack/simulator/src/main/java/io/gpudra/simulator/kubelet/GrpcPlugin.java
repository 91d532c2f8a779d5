package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha2.NodeUnprepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeListAndWatchResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeListAndWatchResourcesResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A plugin behind its socket. Speaks v1alpha3 until that is UNIMPLEMENTED, then v1alpha2, claim by
 * claim under one deadline, for as long as the registration lasts (protocol 4.4).
 */
final class GrpcPlugin implements DraPlugin, AutoCloseable {
  private final ManagedChannel channel;
  private final Duration deadline;
  private volatile boolean v1alpha2;

  GrpcPlugin(ManagedChannel channel, Duration deadline, boolean v1alpha2) {
    this.channel = channel;
    this.deadline = deadline;
    this.v1alpha2 = v1alpha2;
  }

  @Override
  public Reply prepare(List<ClaimCall> claims) {
    return call(() -> prepareV1alpha3(claims), () -> prepareV1alpha2(claims));
  }

  @Override
  public Reply unprepare(List<ClaimCall> claims) {
    return call(() -> unprepareV1alpha3(claims), () -> unprepareV1alpha2(claims));
  }

  private Reply call(Supplier<Reply> current, Supplier<Reply> fallback) {
    try {
      return v1alpha2 ? fallback.get() : current.get();
    } catch (StatusRuntimeException e) {
      if (v1alpha2 || e.getStatus().getCode() != Status.Code.UNIMPLEMENTED) {
        return failed(e);
      }
      v1alpha2 = true;
      return call(current, fallback);
    }
  }

  private static Reply failed(StatusRuntimeException e) {
    String description = e.getStatus().getDescription();
    return Reply.failed(
        "rpc error: code = %s desc = %s"
            .formatted(e.getStatus().getCode(), description == null ? "" : description));
  }

  private Deadline deadline() {
    return Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  private Reply prepareV1alpha3(List<ClaimCall> claims) {
    NodePrepareResourcesRequest.Builder request = NodePrepareResourcesRequest.newBuilder();
    claims.forEach(claim -> request.addClaims(message(claim)));
    Map<String, ClaimAnswer> answers = new HashMap<>();
    NodeGrpc.newBlockingStub(channel)
        .withDeadline(deadline())
        .nodePrepareResources(request.build())
        .getClaimsMap()
        .forEach(
            (uid, answer) ->
                answers.put(
                    uid,
                    new ClaimAnswer(List.copyOf(answer.getCdiDevicesList()), answer.getError())));
    return Reply.of(answers);
  }

  private Reply unprepareV1alpha3(List<ClaimCall> claims) {
    NodeUnprepareResourcesRequest.Builder request = NodeUnprepareResourcesRequest.newBuilder();
    claims.forEach(claim -> request.addClaims(message(claim)));
    Map<String, ClaimAnswer> answers = new HashMap<>();
    NodeGrpc.newBlockingStub(channel)
        .withDeadline(deadline())
        .nodeUnprepareResources(request.build())
        .getClaimsMap()
        .forEach((uid, answer) -> answers.put(uid, new ClaimAnswer(List.of(), answer.getError())));
    return Reply.of(answers);
  }

  private Reply prepareV1alpha2(List<ClaimCall> claims) {
    Deadline shared = deadline();
    Map<String, ClaimAnswer> answers = new HashMap<>();
    for (ClaimCall claim : claims) {
      NodePrepareResourceRequest request =
          NodePrepareResourceRequest.newBuilder()
              .setNamespace(claim.namespace())
              .setClaimUid(claim.uid())
              .setClaimName(claim.name())
              .setResourceHandle(claim.handle())
              .build();
      List<String> devices =
          io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.newBlockingStub(channel)
              .withDeadline(shared)
              .nodePrepareResource(request)
              .getCdiDevicesList();
      answers.put(claim.uid(), new ClaimAnswer(List.copyOf(devices), ""));
    }
    return Reply.of(answers);
  }

  private Reply unprepareV1alpha2(List<ClaimCall> claims) {
    Deadline shared = deadline();
    Map<String, ClaimAnswer> answers = new HashMap<>();
    for (ClaimCall claim : claims) {
      NodeUnprepareResourceRequest request =
          NodeUnprepareResourceRequest.newBuilder()
              .setNamespace(claim.namespace())
              .setClaimUid(claim.uid())
              .setClaimName(claim.name())
              .setResourceHandle(claim.handle())
              .build();
      io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.newBlockingStub(channel)
          .withDeadline(shared)
          .nodeUnprepareResource(request);
      answers.put(claim.uid(), new ClaimAnswer(List.of(), ""));
    }
    return Reply.of(answers);
  }

  private static Claim message(ClaimCall claim) {
    return Claim.newBuilder()
        .setNamespace(claim.namespace())
        .setUid(claim.uid())
        .setName(claim.name())
        .setResourceHandle(claim.handle())
        .build();
  }

  /** Opens the stream of node resources, which a classic plugin does not have. */
  void listAndWatch(Runnable onFailure) {
    NodeGrpc.newStub(channel)
        .nodeListAndWatchResources(
            NodeListAndWatchResourcesRequest.getDefaultInstance(),
            new StreamObserver<NodeListAndWatchResourcesResponse>() {
              @Override
              public void onNext(NodeListAndWatchResourcesResponse resources) {}

              @Override
              public void onError(Throwable failure) {
                if (Status.fromThrowable(failure).getCode() != Status.Code.UNIMPLEMENTED) {
                  onFailure.run();
                }
              }

              @Override
              public void onCompleted() {}
            });
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
