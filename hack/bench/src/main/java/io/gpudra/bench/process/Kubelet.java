package io.gpudra.bench.process;

import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.Grant;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Calls a plugin as a kubelet does, over one connection. */
final class Kubelet implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 45;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;

  Kubelet(Path socket) {
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(group)
            .overrideAuthority("localhost")
            .usePlaintext()
            .build();
  }

  void prepare(Grant grant) throws IOException {
    NodePrepareResourcesRequest request =
        NodePrepareResourcesRequest.newBuilder().addClaims(claim(grant)).build();
    require(
        node().nodePrepareResources(request).getClaimsOrThrow(grant.claim().value()).getError());
  }

  void unprepare(Grant grant) throws IOException {
    NodeUnprepareResourcesRequest request =
        NodeUnprepareResourcesRequest.newBuilder().addClaims(claim(grant)).build();
    require(
        node().nodeUnprepareResources(request).getClaimsOrThrow(grant.claim().value()).getError());
  }

  private NodeGrpc.NodeBlockingStub node() {
    return NodeGrpc.newBlockingStub(channel).withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static Claim claim(Grant grant) {
    return Claim.newBuilder()
        .setNamespace("default")
        .setName("claim-" + grant.claim())
        .setUid(grant.claim().value())
        .setResourceHandle(HandleCodec.encode(grant))
        .build();
  }

  private static void require(String error) throws IOException {
    if (!error.isEmpty()) {
      throw new IOException("the plugin refused: " + error);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
