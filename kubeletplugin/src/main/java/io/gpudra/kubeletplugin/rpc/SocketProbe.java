package io.gpudra.kubeletplugin.rpc;

import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodeUnprepareResourcesRequest;
import io.gpudra.kubeletplugin.proto.registration.InfoRequest;
import io.gpudra.kubeletplugin.proto.registration.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connects to our own sockets as the kubelet does. The DRA call unprepares an empty list of claims:
 * it needs the threads that unprepare needs and changes nothing.
 */
record SocketProbe(SocketPaths paths, EventLoopGroup io) {

  boolean answer(Duration within) {
    return answers(paths.registration(), channel -> info(channel, within))
        && answers(paths.dra(), channel -> unprepareNothing(channel, within));
  }

  private static void info(ManagedChannel channel, Duration within) {
    RegistrationGrpc.newBlockingStub(channel)
        .withDeadlineAfter(within.toMillis(), TimeUnit.MILLISECONDS)
        .getInfo(InfoRequest.getDefaultInstance());
  }

  private static void unprepareNothing(ManagedChannel channel, Duration within) {
    NodeGrpc.newBlockingStub(channel)
        .withDeadlineAfter(within.toMillis(), TimeUnit.MILLISECONDS)
        .nodeUnprepareResources(NodeUnprepareResourcesRequest.getDefaultInstance());
  }

  private boolean answers(Path socket, Consumer<ManagedChannel> call) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(io)
            .usePlaintext()
            .build();
    try {
      call.accept(channel);
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    } finally {
      channel.shutdownNow();
    }
  }
}
