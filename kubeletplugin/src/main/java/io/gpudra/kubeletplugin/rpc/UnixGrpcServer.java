package io.gpudra.kubeletplugin.rpc;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gRPC server on a Unix socket. Its file exists exactly as long as the server. */
final class UnixGrpcServer implements AutoCloseable {

  /** A cancelled call sends no more answers. */
  private static final Duration AFTER_CANCEL = Duration.ofSeconds(1);

  private final Path socket;
  private final Server server;
  private final Duration grace;

  private UnixGrpcServer(Path socket, Server server, Duration grace) {
    this.socket = socket;
    this.server = server;
    this.grace = grace;
  }

  /**
   * Serves when this returns. An existing file was left by a process that is gone.
   *
   * @param grace the time that running calls may continue after {@link #close}
   */
  static UnixGrpcServer start(
      Path socket, List<BindableService> services, RpcThreads threads, Duration grace)
      throws IOException {
    Files.createDirectories(socket.getParent());
    Files.deleteIfExists(socket);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(threads.io())
            .workerEventLoopGroup(threads.io())
            .executor(threads.others())
            .callExecutor(threads);
    services.forEach(builder::addService);
    try {
      return new UnixGrpcServer(socket, builder.build().start(), grace);
    } catch (IOException e) {
      throw new IOException("cannot listen on " + socket + ": " + e.getMessage(), e);
    }
  }

  /** The maximum time of {@link #close}. */
  static Duration longestStop(Duration grace) {
    return grace.plus(AFTER_CANCEL);
  }

  /** Whether the socket's file was removed, so that clients can no longer find the server. */
  boolean lost() {
    return !Files.exists(socket);
  }

  @Override
  public void close() throws IOException {
    server.shutdown();
    try {
      if (!server.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
        server.awaitTermination(AFTER_CANCEL.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    } finally {
      Files.deleteIfExists(socket);
    }
  }
}
