package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.proto.registration.InfoRequest;
import io.gpudra.simulator.proto.registration.PluginInfo;
import io.gpudra.simulator.proto.registration.RegistrationGrpc;
import io.gpudra.simulator.proto.registration.RegistrationStatus;
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
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * gRPC over Unix sockets as a kubelet dials them, and the two calls to a registration socket, each
 * on a connection of its own. Closing ends every channel's transport.
 */
final class PluginSockets implements AutoCloseable {
  private static final Duration INFO_LIMIT = Duration.ofSeconds(1);
  private static final Duration NOTIFY_LIMIT = Duration.ofSeconds(5);
  private static final Pattern VERSION = Pattern.compile("v?(\\d+)(\\.\\d+){0,2}");

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  ManagedChannel open(Path socket) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class)
        .eventLoopGroup(group)
        .overrideAuthority(URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8))
        .usePlaintext()
        .build();
  }

  PluginInfo getInfo(Path socket) {
    return call(socket, INFO_LIMIT, stub -> stub.getInfo(InfoRequest.getDefaultInstance()));
  }

  /**
   * Tells the plugin whether it is registered.
   *
   * @param problem why it is not; empty when it is
   */
  void tell(Path socket, Optional<String> problem) {
    RegistrationStatus status =
        RegistrationStatus.newBuilder()
            .setPluginRegistered(problem.isEmpty())
            .setError(problem.orElse(""))
            .build();
    call(socket, NOTIFY_LIMIT, stub -> stub.notifyRegistrationStatus(status));
  }

  private <T> T call(
      Path socket, Duration limit, Function<RegistrationGrpc.RegistrationBlockingStub, T> call) {
    ManagedChannel channel = open(socket);
    try {
      return call.apply(
          RegistrationGrpc.newBlockingStub(channel)
              .withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS));
    } finally {
      channel.shutdownNow();
    }
  }

  /**
   * Why a 1.27 to 1.30 kubelet does not take the plugin (protocol.md 4.3).
   *
   * @param nameTaken another socket has registered the name already
   */
  static Optional<String> problem(PluginInfo info, boolean nameTaken) {
    if (!info.getType().equals("DRAPlugin")) {
      return Optional.of("no handler registered for plugin type: " + info.getType());
    }
    if (info.getName().isEmpty()) {
      return Optional.of("plugin name is empty");
    }
    int highest =
        info.getSupportedVersionsList().stream()
            .map(VERSION::matcher)
            .filter(Matcher::matches)
            .mapToInt(matcher -> Integer.parseInt(matcher.group(1)))
            .max()
            .orElse(Integer.MAX_VALUE);
    if (highest > 1) {
      String versions =
          info.getSupportedVersionsList().stream()
              .map("\"%s\""::formatted)
              .collect(Collectors.joining(" ", "[", "]"));
      return invalid(info, "None of the versions specified " + versions + " are supported");
    }
    if (highest < 1) {
      return invalid(info, "unsupported version: must be v1.x");
    }
    String taken =
        "Another plugin with the same name is already registered with a higher supported version";
    return nameTaken ? invalid(info, taken) : Optional.empty();
  }

  private static Optional<String> invalid(PluginInfo info, String reason) {
    return Optional.of(
        ("RegisterPlugin error -- plugin validation failed with err: validation failed for DRA"
                + " plugin %1$s at endpoint %2$s: kubernetes.io/dra: ValidatePlugin for DRA plugin"
                + " \"%1$s\" failed. %3$s")
            .formatted(info.getName(), info.getEndpoint(), reason));
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
