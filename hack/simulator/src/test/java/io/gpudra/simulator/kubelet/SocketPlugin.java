package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceRequest;
import io.gpudra.simulator.proto.dra.v1alpha2.NodePrepareResourceResponse;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.gpudra.simulator.proto.dra.v1alpha3.NodeGrpc;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesRequest;
import io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourcesResponse;
import io.gpudra.simulator.proto.registration.InfoRequest;
import io.gpudra.simulator.proto.registration.PluginInfo;
import io.gpudra.simulator.proto.registration.RegistrationGrpc;
import io.gpudra.simulator.proto.registration.RegistrationStatus;
import io.gpudra.simulator.proto.registration.RegistrationStatusResponse;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A plugin process in small: both sockets, and a log of what came in. */
final class SocketPlugin implements AutoCloseable {
  final List<String> log = new CopyOnWriteArrayList<>();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<Server> servers = new ArrayList<>();
  private final Path dra;
  private final Path registry;
  private final PluginInfo info;

  SocketPlugin(Path kubeletDir, String type, String... versions) throws IOException {
    dra = kubeletDir.resolve("dra.sock");
    registry = Files.createDirectories(kubeletDir.resolve("plugins_registry"));
    info =
        PluginInfo.newBuilder()
            .setType(type)
            .setName("gpu.example.com")
            .setEndpoint(dra.toString())
            .addAllSupportedVersions(List.of(versions))
            .build();
  }

  void serve(BindableService node) throws IOException {
    listen(dra, node);
    listen(registry.resolve("gpu-reg.sock"), registration());
  }

  private void listen(Path socket, BindableService service) throws IOException {
    Files.deleteIfExists(socket);
    servers.add(
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .addService(service)
            .intercept(new AuthorityLog())
            .build()
            .start());
  }

  private BindableService registration() {
    return new RegistrationGrpc.RegistrationImplBase() {
      @Override
      public void getInfo(InfoRequest request, StreamObserver<PluginInfo> reply) {
        log.add("GetInfo");
        reply.onNext(info);
        reply.onCompleted();
      }

      @Override
      public void notifyRegistrationStatus(
          RegistrationStatus status, StreamObserver<RegistrationStatusResponse> reply) {
        log.add("registered " + status.getPluginRegistered() + " " + status.getError());
        reply.onNext(RegistrationStatusResponse.getDefaultInstance());
        reply.onCompleted();
      }
    };
  }

  /** Answers each claim with a device of its name. */
  BindableService v1alpha3() {
    return new NodeGrpc.NodeImplBase() {
      @Override
      public void nodePrepareResources(
          NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> reply) {
        NodePrepareResourcesResponse.Builder response = NodePrepareResourcesResponse.newBuilder();
        request
            .getClaimsList()
            .forEach(
                claim -> {
                  log.add("v1alpha3 " + claim.getName());
                  response.putClaims(claim.getUid(), device(claim));
                });
        reply.onNext(response.build());
        reply.onCompleted();
      }
    };
  }

  private static io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourceResponse device(
      Claim claim) {
    return io.gpudra.simulator.proto.dra.v1alpha3.NodePrepareResourceResponse.newBuilder()
        .addCdiDevices("v.com/gpu=" + claim.getResourceHandle())
        .build();
  }

  BindableService v1alpha2() {
    return new io.gpudra.simulator.proto.dra.v1alpha2.NodeGrpc.NodeImplBase() {
      @Override
      public void nodePrepareResource(
          NodePrepareResourceRequest request, StreamObserver<NodePrepareResourceResponse> reply) {
        log.add("v1alpha2 " + request.getClaimName());
        reply.onNext(
            NodePrepareResourceResponse.newBuilder()
                .addCdiDevices("v.com/gpu=" + request.getResourceHandle())
                .build());
        reply.onCompleted();
      }
    };
  }

  private final class AuthorityLog implements ServerInterceptor {
    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
        ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
      log.add(call.getMethodDescriptor().getFullMethodName() + " at " + call.getAuthority());
      return next.startCall(call, headers);
    }
  }

  /** Stops as a killed process does, except that the sockets go. */
  void stop() throws IOException {
    servers.forEach(Server::shutdownNow);
    servers.clear();
    Files.deleteIfExists(registry.resolve("gpu-reg.sock"));
  }

  @Override
  public void close() throws IOException {
    stop();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
