package io.gpudra.process;

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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A port with pages that answers one request per connection. One thread serves all clients and
 * waits for none; two others render the pages. Slow clients are closed, see {@link
 * ConnectionLimiter}.
 */
public final class HttpPort implements AutoCloseable {

  private static final Duration MAX_REQUEST = Duration.ofSeconds(10);
  private static final Duration MAX_ANSWER = Duration.ofSeconds(30);

  /** An answer may be recorded for a minute before it is sent. */
  private static final Duration MAX_LOCAL_ANSWER = Duration.ofMinutes(2);

  private static final int PAGE_THREADS = 2;

  /** The number of clients that may connect at the same moment. */
  private static final int BACKLOG = 1024;

  private static final HttpDecoderConfig SHORT_REQUESTS =
      new HttpDecoderConfig().setMaxInitialLineLength(2048).setMaxHeaderSize(4096);

  private final HttpPages pages;
  private final EventLoopGroup clients =
      new MultiThreadIoEventLoopGroup(1, daemons("http-%d"), NioIoHandler.newFactory());
  private final ThreadPoolExecutor asking;
  private final ChannelFuture bound;

  /**
   * Limits for clients.
   *
   * @param clients maximum number of clients whose requests are read at a time, and of those that
   *     are answered
   * @param request time limit for the request
   * @param answer time limit for sending the answer
   */
  record Limits(int clients, Duration request, Duration answer) {}

  private HttpPort(InetSocketAddress address, Limits limits, HttpPages pages) {
    this.pages = pages;
    asking = pageThreads(limits.clients());
    ConnectionLimiter read =
        new ConnectionLimiter(limits.clients(), limits.request(), clients.next());
    ConnectionLimiter answered =
        new ConnectionLimiter(limits.clients(), limits.answer(), clients.next());
    bound =
        new ServerBootstrap()
            .group(clients)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            // A few small answers a minute: pools and direct memory would gain nothing.
            .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel client) {
                    client
                        .pipeline()
                        .addLast(new HttpServerCodec(SHORT_REQUESTS))
                        .addLast(new SingleRequestHandler(read, answered, asking, pages));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
  }

  private static ThreadPoolExecutor pageThreads(int mostWaiting) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            PAGE_THREADS,
            PAGE_THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(mostWaiting),
            daemons("page-%d"));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  private static ThreadFactory daemons(String names) {
    return new ThreadFactoryBuilder().setNameFormat(names).setDaemon(true).build();
  }

  /**
   * Listens at once; everything is 404 until pages are added.
   *
   * @param option that sets the port, for the message when it cannot be bound
   * @param address with port 0 for any free port
   * @param mostClients maximum number of clients whose requests are read at a time, and of those
   *     that are answered; each of the latter may keep a page in memory
   */
  public static HttpPort open(String option, InetSocketAddress address, int mostClients)
      throws IOException {
    return open(option, address, usual(mostClients));
  }

  /**
   * Listens on the loopback address, and answers only requests for its names: a web page in a
   * browser may make its own name point to this address.
   *
   * @see #open(String, InetSocketAddress, int)
   */
  public static HttpPort openLocal(String option, int port, int mostClients) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    Limits limits = new Limits(mostClients, MAX_REQUEST, MAX_LOCAL_ANSWER);
    return open(option, address, limits, new HttpPages(true));
  }

  private static Limits usual(int mostClients) {
    return new Limits(mostClients, MAX_REQUEST, MAX_ANSWER);
  }

  static HttpPort open(String option, InetSocketAddress address, Limits limits) throws IOException {
    return open(option, address, limits, new HttpPages(false));
  }

  private static HttpPort open(
      String option, InetSocketAddress address, Limits limits, HttpPages pages) throws IOException {
    HttpPort port = new HttpPort(address, limits, pages);
    Throwable problem = port.bound.cause();
    if (problem != null) {
      port.close();
      throw new IOException(
          "cannot listen on %s %d: %s".formatted(option, address.getPort(), problem.getMessage()),
          problem);
    }
    return port;
  }

  /** Shows a page from now on. */
  public HttpPort add(String path, HttpPage page) {
    pages.add(path, page);
    return this;
  }

  /** The port that was bound. */
  public int port() {
    return ((InetSocketAddress) bound.channel().localAddress()).getPort();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // its thread is a daemon
  public void close() {
    bound.channel().close().awaitUninterruptibly();
    clients.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    asking.shutdownNow();
  }
}
