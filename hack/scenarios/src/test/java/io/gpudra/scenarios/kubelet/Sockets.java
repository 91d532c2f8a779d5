package io.gpudra.scenarios.kubelet;

import io.gpudra.simulator.proto.registration.InfoRequest;
import io.gpudra.simulator.proto.registration.PluginInfo;
import io.gpudra.simulator.proto.registration.RegistrationGrpc;
import io.gpudra.simulator.proto.registration.RegistrationStatus;
import io.gpudra.simulator.proto.registration.RegistrationStatusResponse;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Deadline;
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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The two sockets of a plugin, and every call that came over them. */
final class Sockets implements AutoCloseable {
  private static final long MILLIS = 1000;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<Server> servers = new CopyOnWriteArrayList<>();
  private final KubeletUnderTest kubelet;
  private final PluginInfo info;
  private final Path registry;

  /**
   * Nothing is served yet.
   *
   * @param file tells two plugins of one driver apart
   */
  Sockets(KubeletUnderTest kubelet, String driver, String file, String version) {
    this.kubelet = kubelet;
    Path endpoint = kubelet.directory().resolve("plugins").resolve(file).resolve("plugin.sock");
    this.registry = kubelet.directory().resolve("plugins_registry").resolve(file + "-reg.sock");
    this.info =
        PluginInfo.newBuilder()
            .setType("DRAPlugin")
            .setName(driver)
            .setEndpoint(endpoint.toString())
            .addSupportedVersions(version)
            .build();
  }

  /** What came in, such as {@code GetInfo within 1 s at /var/lib/…/x-reg.sock}. */
  List<String> calls() {
    return List.copyOf(calls);
  }

  /** Those of one method or with one answer. */
  long count(String start) {
    return calls.stream().filter(call -> call.startsWith(start)).count();
  }

  void serve(BindableService node) throws IOException {
    listen(Path.of(info.getEndpoint()), node);
    register();
  }

  /** Makes the socket that the kubelet looks for, anew if there is one. */
  void register() throws IOException {
    listen(registry, registration());
  }

  private void listen(Path socket, BindableService service) throws IOException {
    Path outside = kubelet.outside(socket);
    Files.createDirectories(outside.resolveSibling(""));
    Files.deleteIfExists(outside);
    servers.add(
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(outside))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .addService(service)
            .intercept(new Recorder())
            .build()
            .start());
  }

  private BindableService registration() {
    return new RegistrationGrpc.RegistrationImplBase() {
      @Override
      public void getInfo(InfoRequest request, StreamObserver<PluginInfo> reply) {
        reply.onNext(info);
        reply.onCompleted();
      }

      @Override
      public void notifyRegistrationStatus(
          RegistrationStatus status, StreamObserver<RegistrationStatusResponse> reply) {
        calls.add("registered: " + status.getPluginRegistered() + " " + status.getError());
        reply.onNext(RegistrationStatusResponse.getDefaultInstance());
        reply.onCompleted();
      }
    };
  }

  private final class Recorder implements ServerInterceptor {
    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
        ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
      String method = call.getMethodDescriptor().getFullMethodName();
      calls.add(method + within(Context.current().getDeadline()) + " at " + call.getAuthority());
      return next.startCall(call, headers);
    }
  }

  /** In whole seconds, the time on the way not counted. */
  private static String within(Deadline deadline) {
    return deadline == null
        ? ""
        : " within " + (deadline.timeRemaining(TimeUnit.MILLISECONDS) + MILLIS - 1) / MILLIS + " s";
  }

  /** Leaves no socket behind. */
  @Override
  public void close() throws IOException {
    servers.forEach(Server::shutdownNow);
    Files.deleteIfExists(kubelet.outside(registry));
    Path endpoint = kubelet.outside(Path.of(info.getEndpoint()));
    Files.deleteIfExists(endpoint);
    Files.deleteIfExists(endpoint.resolveSibling(""));
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
