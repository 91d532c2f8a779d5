package io.gpudra.controller.webhook.server;

import com.google.common.collect.ComparisonChain;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the limits of connections. These are ordered by the time of the last answer, or of the
 * connection if it has none. For the event loop's thread only.
 */
final class ClientConnections {
  /** Event for a connection whose request is rejected. */
  static final Object TOO_MUCH = new Object();

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private final ServerLimits limits;
  private final Map<Channel, Client> all = new LinkedHashMap<>();
  private final Multiset<InetAddress> addresses = HashMultiset.create();

  /** The bytes of requests, by address. */
  private final Multiset<InetAddress> bytes = HashMultiset.create();

  private boolean last;

  /** One connection. */
  private static final class Client {
    private final InetAddress address;
    private long deadline;
    private int bytes;
    private boolean served;

    /** The complete request; emptied when its review begins. */
    private @Nullable AtomicReference<byte[]> asked;

    Client(InetAddress address) {
      this.address = address;
    }

    /** Drops the request, unless its review has begun. */
    boolean drops() {
      return asked == null || asked.getAndSet(null) != null;
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // ends with the event loop
  ClientConnections(ServerLimits limits, EventLoop loop) {
    this.limits = limits;
    long look = Math.min(limits.request().toNanos(), CHECK_INTERVAL.toNanos());
    loop.scheduleWithFixedDelay(this::closeLate, look, look, TimeUnit.NANOSECONDS);
  }

  void came(Channel channel) {
    Client client = new Client(address(channel));
    all.put(channel, client);
    addresses.add(client.address);
    until(channel, limits.request());
    channel.closeFuture().addListener(closed -> onClosed(channel));
    if (all.size() > limits.clients()) {
      closeOneOfTheMost();
    }
  }

  /** The address of the client; the loopback address if the channel is closed. */
  static InetAddress address(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress remote
        ? remote.getAddress()
        : InetAddress.getLoopbackAddress();
  }

  /**
   * Closes the least recently answered connection of the address with the most connections. One
   * that is being answered is closed only if all of them are: it counts, too.
   */
  private void closeOneOfTheMost() {
    Optional<InetAddress> most =
        addresses.entrySet().stream()
            .max(Comparator.comparingInt(Multiset.Entry::getCount))
            .map(Multiset.Entry::getElement);
    all.entrySet().stream()
        .filter(one -> most.equals(Optional.of(one.getValue().address)))
        .min(Comparator.comparing(one -> one.getValue().served))
        .map(Map.Entry::getKey)
        .ifPresent(ClientConnections::close);
  }

  private void onClosed(Channel channel) {
    Client client = all.remove(channel);
    if (client != null) {
      addresses.remove(client.address);
      if (client.drops()) {
        free(client);
      }
    }
  }

  private void free(Client client) {
    bytes.remove(client.address, client.bytes);
    client.bytes = 0;
    client.asked = null;
  }

  private void until(Channel channel, Duration time) {
    Client client = all.get(channel);
    if (client != null) {
      client.deadline = System.nanoTime() + time.toNanos();
    }
  }

  /** A request has begun. */
  void sends(Channel channel) {
    until(channel, limits.request());
  }

  /** Counts received bytes. If all requests together exceed the limit, one is rejected. */
  void keeps(Channel channel, int more) {
    Client client = all.get(channel);
    if (client == null) {
      return;
    }
    client.bytes += more;
    bytes.add(client.address, more);
    if (bytes.size() > limits.bodies() - limits.reserve()) {
      rejectOneAbove(limits.small());
    }
    if (bytes.size() > limits.bodies()) {
      rejectOneAbove(0);
    }
  }

  /** The largest request of the address with the most bytes, unless its review has begun. */
  private void rejectOneAbove(int small) {
    all.entrySet().stream()
        .filter(one -> one.getValue().bytes > small)
        .sorted(Comparator.comparing(Map.Entry::getValue, this::mostBytesFirst))
        .filter(one -> one.getValue().drops())
        .map(Map.Entry::getKey)
        .findFirst()
        .ifPresent(one -> one.pipeline().fireUserEventTriggered(TOO_MUCH));
  }

  private int mostBytesFirst(Client one, Client other) {
    return ComparisonChain.start()
        .compare(bytes.count(other.address), bytes.count(one.address))
        .compare(other.bytes, one.bytes)
        .result();
  }

  /**
   * A request is complete. A review that has begun counts until it ends, even if the connection is
   * closed.
   *
   * @param request is emptied when its review begins, or when it is dropped
   * @return to call when the review has ended
   */
  Runnable asks(Channel channel, AtomicReference<byte[]> request) {
    Client client = all.get(channel);
    if (client == null) {
      request.set(null);
      return () -> {};
    }
    client.asked = request;
    serves(channel, client);
    return () -> {
      if (request.equals(client.asked)) {
        free(client);
      }
    };
  }

  private void serves(Channel channel, Client client) {
    client.served = true;
    until(channel, limits.answer());
  }

  /** A request is answered without a review. */
  void refuses(Channel channel) {
    Client client = all.get(channel);
    if (client != null) {
      free(client);
      serves(channel, client);
    }
  }

  /** The answer was sent. */
  void answered(Channel channel) {
    Client client = all.remove(channel);
    if (client != null) {
      free(client);
      client.served = false;
      all.put(channel, client);
      until(channel, limits.idle());
    }
  }

  /** Closes each connection after its next answer. */
  void answerOnce() {
    last = true;
  }

  /** Whether connections are closed after an answer. */
  boolean last() {
    return last;
  }

  private void closeLate() {
    long now = System.nanoTime();
    List<Channel> late =
        all.entrySet().stream()
            .filter(one -> now - one.getValue().deadline > 0)
            .map(Map.Entry::getKey)
            .toList();
    late.forEach(ClientConnections::close);
  }

  /** Resets the connection: otherwise the kernel would keep unsent data for minutes. */
  @SuppressWarnings("FutureReturnValueIgnored") // closing needs no result
  static void close(Channel channel) {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.close();
  }
}
