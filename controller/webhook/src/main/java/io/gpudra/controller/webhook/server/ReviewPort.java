package io.gpudra.controller.webhook.server;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;

/** HTTPS server for API servers. */
public final class ReviewPort implements AutoCloseable {
  private static final int BACKLOG = 1024;

  /** Handshakes have their own thread, since any client can start many of them. */
  private static final int HANDSHAKERS = 1;

  private static final int REVIEWERS = 2;

  /** API servers need few sessions; other clients must not fill the memory. */
  private static final int MAX_SESSIONS = 256;

  private static final HttpDecoderConfig SHORT_HEADERS =
      new HttpDecoderConfig().setMaxInitialLineLength(2048).setMaxHeaderSize(8192);

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, daemons("webhook-%d"), NioIoHandler.newFactory());
  private final FairExecutor handshakes = new FairExecutor("handshake-%d", HANDSHAKERS);
  private final FairExecutor reviews = new FairExecutor("review-%d", REVIEWERS);
  private final ClientConnections clients;
  private final ChannelFuture bound;

  private ReviewPort(
      InetSocketAddress address, KeyManager key, ServerLimits limits, ReviewHandler reviewHandler)
      throws SSLException {
    SslContext tls = tls(key);
    clients = new ClientConnections(limits, loop.next());
    bound =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel client) {
                    SslHandler handshake = tls.newHandler(client.alloc(), handshakes.of(client));
                    handshake.setHandshakeTimeoutMillis(limits.request().toMillis());
                    client
                        .pipeline()
                        .addLast(handshake)
                        .addLast(new HttpServerCodec(SHORT_HEADERS))
                        .addLast(
                            new ClientRequests(clients, limits, reviews.of(client), reviewHandler));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
  }

  private static SslContext tls(KeyManager key) throws SSLException {
    return SslContextBuilder.forServer(key)
        .protocols("TLSv1.3", "TLSv1.2")
        .sessionCacheSize(MAX_SESSIONS)
        .build();
  }

  private static ThreadFactory daemons(String names) {
    return new ThreadFactoryBuilder().setNameFormat(names).setDaemon(true).build();
  }

  /**
   * Starts listening.
   *
   * @param address with port 0 for any free port
   * @param key is read at each handshake
   * @throws IOException when the address cannot be bound
   */
  public static ReviewPort open(
      InetSocketAddress address, KeyManager key, ServerLimits limits, ReviewHandler reviewHandler)
      throws IOException {
    ReviewPort port = new ReviewPort(address, key, limits, reviewHandler);
    Throwable problem = port.bound.cause();
    if (problem != null) {
      port.close();
      throw new IOException(
          "cannot listen on --webhook-port %d: %s"
              .formatted(address.getPort(), problem.getMessage()),
          problem);
    }
    return port;
  }

  /**
   * Closes each connection after its next answer. Otherwise an API server would keep its
   * connection, and its requests to a stopped process would fail.
   */
  public void sendAway() {
    loop.execute(clients::answerOnce);
  }

  /** The address of the port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) bound.channel().localAddress();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // its thread is a daemon
  public void close() {
    bound.channel().close().awaitUninterruptibly();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    handshakes.close();
    reviews.close();
  }
}
