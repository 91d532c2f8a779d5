package io.gpudra.simulator.kubelet;

import com.google.common.base.CaseFormat;
import com.google.common.collect.Maps;
import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha2.NodeUnprepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeListAndWatchResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A plugin behind its socket. Speaks v1alpha3 until that is UNIMPLEMENTED, then v1alpha2, claim by
 * claim under one deadline, for as long as the registration lasts (protocol.md 4.4).
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
    return call(() -> prepareAll(claims), () -> prepareEach(claims));
  }

  @Override
  public Reply unprepare(List<ClaimCall> claims) {
    return call(() -> unprepareAll(claims), () -> unprepareEach(claims));
  }

  private Reply call(
      Supplier<Map<String, ClaimAnswer>> current, Supplier<Map<String, ClaimAnswer>> fallback) {
    try {
      return Reply.of(v1alpha2 ? fallback.get() : current.get());
    } catch (StatusRuntimeException e) {
      Status status = e.getStatus();
      if (!v1alpha2 && status.getCode() == Status.Code.UNIMPLEMENTED) {
        v1alpha2 = true;
        return call(current, fallback);
      }
      String description = status.getDescription() == null ? "" : status.getDescription();
      return Reply.failed(
          "rpc error: code = %s desc = %s".formatted(goName(status.getCode()), description));
    }
  }

  /** Such as {@code DeadlineExceeded}. */
  private static String goName(Status.Code code) {
    return code == Status.Code.CANCELLED
        ? "Canceled"
        : CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.UPPER_CAMEL, code.name());
  }

  private NodeGrpc.NodeBlockingStub current() {
    return NodeGrpc.newBlockingStub(channel).withDeadline(fromNow());
  }

  private io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.NodeBlockingStub fallback() {
    return io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.newBlockingStub(channel)
        .withDeadline(fromNow());
  }

  private Deadline fromNow() {
    return Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  private Map<String, ClaimAnswer> prepareAll(List<ClaimCall> claims) {
    NodePrepareResourcesRequest.Builder request = NodePrepareResourcesRequest.newBuilder();
    claims.forEach(claim -> request.addClaims(message(claim)));
    return Maps.transformValues(
        current().nodePrepareResources(request.build()).getClaimsMap(),
        answer -> new ClaimAnswer(List.copyOf(answer.getCdiDevicesList()), answer.getError()));
  }

  private Map<String, ClaimAnswer> unprepareAll(List<ClaimCall> claims) {
    NodeUnprepareResourcesRequest.Builder request = NodeUnprepareResourcesRequest.newBuilder();
    claims.forEach(claim -> request.addClaims(message(claim)));
    return Maps.transformValues(
        current().nodeUnprepareResources(request.build()).getClaimsMap(),
        answer -> new ClaimAnswer(List.of(), answer.getError()));
  }

  private static Claim message(ClaimCall claim) {
    return Claim.newBuilder()
        .setNamespace(claim.namespace())
        .setUid(claim.uid())
        .setName(claim.name())
        .setResourceHandle(claim.handle())
        .build();
  }

  private Map<String, ClaimAnswer> prepareEach(List<ClaimCall> claims) {
    var stub = fallback();
    Map<String, ClaimAnswer> answers = new HashMap<>();
    for (ClaimCall claim : claims) {
      NodePrepareResourceRequest request =
          NodePrepareResourceRequest.newBuilder()
              .setNamespace(claim.namespace())
              .setClaimUid(claim.uid())
              .setClaimName(claim.name())
              .setResourceHandle(claim.handle())
              .build();
      List<String> devices = List.copyOf(stub.nodePrepareResource(request).getCdiDevicesList());
      answers.put(claim.uid(), new ClaimAnswer(devices, ""));
    }
    return answers;
  }

  private Map<String, ClaimAnswer> unprepareEach(List<ClaimCall> claims) {
    var stub = fallback();
    Map<String, ClaimAnswer> answers = new HashMap<>();
    for (ClaimCall claim : claims) {
      NodeUnprepareResourceRequest request =
          NodeUnprepareResourceRequest.newBuilder()
              .setNamespace(claim.namespace())
              .setClaimUid(claim.uid())
              .setClaimName(claim.name())
              .setResourceHandle(claim.handle())
              .build();
      stub.nodeUnprepareResource(request);
      answers.put(claim.uid(), new ClaimAnswer(List.of(), ""));
    }
    return answers;
  }

  /** Asks for the stream of node resources, which a classic plugin does not have. */
  void listAndWatch() {
    NodeGrpc.newBlockingStub(channel)
        .nodeListAndWatchResources(NodeListAndWatchResourcesRequest.getDefaultInstance());
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
