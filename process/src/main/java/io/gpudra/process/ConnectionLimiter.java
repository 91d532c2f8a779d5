package io.gpudra.process;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The clients at one stage, up to a limit. When a client exceeds it, the oldest is disconnected: if
 * new clients waited or were refused, slow clients would keep the others out. For the event loop's
 * thread only.
 */
public final class ConnectionLimiter {

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private final int maxConnections;
  private final long maxNanos;
  private final Map<Channel, Long> since = new LinkedHashMap<>();

  /**
   * Starts without clients.
   *
   * @param longest the maximum time that a client may stay
   */
  @SuppressWarnings("FutureReturnValueIgnored") // ends with the loop
  public ConnectionLimiter(int maxConnections, Duration longest, EventLoop loop) {
    this.maxConnections = maxConnections;
    this.maxNanos = longest.toNanos();
    long look = Math.min(maxNanos, CHECK_INTERVAL.toNanos());
    loop.scheduleWithFixedDelay(this::dropOld, look, look, TimeUnit.NANOSECONDS);
  }

  /** Adds a client; it leaves when it is closed. */
  public void add(Channel client) {
    since.put(client, System.nanoTime());
    client.closeFuture().addListener(closed -> remove(client));
    if (since.size() > maxConnections) {
      drop(since.keySet().iterator().next());
    }
  }

  /** The client has moved on to another stage. */
  public void remove(Channel client) {
    since.remove(client);
  }

  private void dropOld() {
    long now = System.nanoTime();
    since.entrySet().stream()
        .takeWhile(client -> now - client.getValue() > maxNanos)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(ConnectionLimiter::drop);
  }

  /** Resets the connection: otherwise the kernel would keep unsent bytes for minutes. */
  @SuppressWarnings("FutureReturnValueIgnored") // closing needs no follow-up
  private static void drop(Channel client) {
    client.config().setOption(ChannelOption.SO_LINGER, 0);
    client.close();
  }
}
