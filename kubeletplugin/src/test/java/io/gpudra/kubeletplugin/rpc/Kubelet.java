package io.gpudra.kubeletplugin.rpc;

import com.google.protobuf.ByteString;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.Claim;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourceResponse;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.gpudra.kubeletplugin.proto.registration.RegistrationGrpc;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Dials a plugin as the kubelet does: a Unix socket, its escaped path as authority. */
public final class Kubelet implements AutoCloseable {

  /** Far beyond what any call takes; a call that hangs fails instead of hanging the build. */
  private static final int LIMIT = 60;

  private final EventLoopGroup eventLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<ManagedChannel> channels = new ArrayList<>();

  ManagedChannel dial(Path socket) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(eventLoop)
            .overrideAuthority(URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8))
            .usePlaintext()
            .build();
    channels.add(channel);
    return channel;
  }

  public RegistrationGrpc.RegistrationBlockingStub registration(SocketPaths paths) {
    return RegistrationGrpc.newBlockingStub(dial(paths.registration()))
        .withDeadlineAfter(LIMIT, TimeUnit.SECONDS);
  }

  public NodeGrpc.NodeBlockingStub v1alpha3(SocketPaths paths) {
    return NodeGrpc.newBlockingStub(dial(paths.dra())).withDeadlineAfter(LIMIT, TimeUnit.SECONDS);
  }

  io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeGrpc.NodeBlockingStub v1alpha2(SocketPaths paths) {
    return io.gpudra.kubeletplugin.proto.dra.v1alpha2.NodeGrpc.newBlockingStub(dial(paths.dra()))
        .withDeadlineAfter(LIMIT, TimeUnit.SECONDS);
  }

  public static Claim claim(Grant grant) {
    ClaimRef ref = FakeNode.ref(grant.claim().value());
    return Claim.newBuilder()
        .setNamespace(ref.namespace())
        .setName(ref.name())
        .setUid(grant.claim().value())
        .setResourceHandle(HandleCodec.encode(grant))
        .build();
  }

  static Claim structured(Claim claim) {
    return claim.toBuilder()
        .setResourceHandle("")
        .addStructuredResourceHandle(ByteString.copyFromUtf8("structured"))
        .build();
  }

  public static NodePrepareResourcesRequest prepare(Claim... claims) {
    return NodePrepareResourcesRequest.newBuilder().addAllClaims(Arrays.asList(claims)).build();
  }

  public static NodeUnprepareResourcesRequest unprepare(Claim... claims) {
    return NodeUnprepareResourcesRequest.newBuilder().addAllClaims(Arrays.asList(claims)).build();
  }

  static NodePrepareResourceRequest prepareV1Alpha2(Grant grant) {
    ClaimRef ref = FakeNode.ref(grant.claim().value());
    return NodePrepareResourceRequest.newBuilder()
        .setNamespace(ref.namespace())
        .setClaimName(ref.name())
        .setClaimUid(grant.claim().value())
        .setResourceHandle(HandleCodec.encode(grant))
        .build();
  }

  static NodePrepareResourceRequest structuredV1Alpha2() {
    return NodePrepareResourceRequest.newBuilder()
        .setNamespace("team-a")
        .setClaimName("structured")
        .setClaimUid("u1")
        .addStructuredResourceHandle(ByteString.copyFromUtf8("structured"))
        .build();
  }

  static NodePrepareResourceResponse entry(
      Map<String, NodePrepareResourceResponse> answer, String uid) {
    NodePrepareResourceResponse entry = answer.get(uid);
    if (entry == null) {
      throw new AssertionError("no entry for " + uid + " in " + answer);
    }
    return entry;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
