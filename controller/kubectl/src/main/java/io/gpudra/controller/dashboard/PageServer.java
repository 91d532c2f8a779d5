package io.gpudra.controller.dashboard;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.view.explain.ExplainTarget;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.WriteTimeoutHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Serves the page on the loopback address. One thread serves all windows and never blocks. */
final class PageServer implements AutoCloseable {
  /**
   * One explainer, since an explanation temporarily allocates devices in the ledgers of the
   * snapshot.
   */
  private static final int EXPLAINERS = 1;

  private static final HttpDecoderConfig SHORT_REQUESTS =
      new HttpDecoderConfig().setMaxInitialLineLength(4096).setMaxHeaderSize(16 << 10);

  private final Limits limits;
  private final Function<ExplainTarget, String> explaining;
  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, daemons("page"), NioIoHandler.newFactory());
  private final SseBroadcaster sseBroadcaster;
  private final ThreadPoolExecutor explainers;
  private final Channel listening;
  private final TokenAuth tokenAuth;
  private final PendingConnections pendingConnections;

  /**
   * Limits of connections.
   *
   * @param connections maximum of unauthenticated, and of authenticated ones; the oldest is closed
   * @param followers maximum of connections that receive events
   * @param silence time limit for a request, and for reading the answer
   */
  record Limits(int connections, int followers, Duration silence) {
    static final Limits USUAL = new Limits(64, 16, Duration.ofSeconds(20));
  }

  private PageServer(int port, Limits limits, Function<ExplainTarget, String> explaining)
      throws IOException {
    this.limits = limits;
    this.explaining = explaining;
    this.sseBroadcaster = new SseBroadcaster(limits.followers(), loop.next());
    this.explainers = explainers(limits.connections());
    this.listening = bind(port);
    this.tokenAuth = new TokenAuth(TokenAuth.newToken(), port());
    this.pendingConnections =
        new PendingConnections(tokenAuth, limits.connections(), limits.silence(), loop.next());
  }

  /**
   * Starts listening.
   *
   * @param port 0 for any free port
   * @param explaining returns the explanation of a pod or claim
   * @throws IOException when the port cannot be bound
   */
  static PageServer open(int port, Limits limits, Function<ExplainTarget, String> explaining)
      throws IOException {
    return new PageServer(port, limits, explaining);
  }

  private Channel bind(int port) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel visitor) {
                    admit(visitor);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .awaitUninterruptibly();
    if (bound.cause() != null) {
      close();
      throw new IOException(
          "cannot listen on --port %d: %s".formatted(port, bound.cause().getMessage()));
    }
    return bound.channel();
  }

  private void admit(SocketChannel visitor) {
    visitor
        .pipeline()
        .addLast(new WriteTimeoutHandler(limits.silence().toSeconds(), TimeUnit.SECONDS))
        .addLast(new HttpServerCodec(SHORT_REQUESTS))
        .addLast(
            new PageRequestHandler(
                new PageRequestHandler.Context(
                    pendingConnections, sseBroadcaster, explaining, explainers)));
  }

  private static ThreadPoolExecutor explainers(int mostWaiting) {
    return new ThreadPoolExecutor(
        EXPLAINERS,
        EXPLAINERS,
        1,
        TimeUnit.MINUTES,
        new ArrayBlockingQueue<>(mostWaiting),
        daemons("explaining-%d"));
  }

  private static ThreadFactory daemons(String names) {
    return new ThreadFactoryBuilder().setNameFormat(names).setDaemon(true).build();
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** The address for the browser, with the token. */
  String address() {
    return tokenAuth.address("http://127.0.0.1:" + port());
  }

  /** Shows the state in all windows. */
  void show(DashboardState dashboardState) {
    sseBroadcaster.show(dashboardState);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // its thread is a daemon
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    explainers.shutdownNow();
  }
}
