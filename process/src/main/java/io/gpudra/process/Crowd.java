package io.gpudra.process;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Clients at one stage, as many as may be there. When one more comes, the one that came first goes:
 * to let the new one wait, or to refuse it, would be to let the slow ones keep out the others. For
 * the event loop's thread only.
 */
public final class Crowd {

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final int most;
  private final long longestNanos;
  private final Map<Channel, Long> since = new LinkedHashMap<>();

  /**
   * Nobody is there.
   *
   * @param longest that one may be there
   */
  @SuppressWarnings("FutureReturnValueIgnored") // ends with the loop
  public Crowd(int most, Duration longest, EventLoop loop) {
    this.most = most;
    this.longestNanos = longest.toNanos();
    long look = Math.min(longestNanos, LOOK.toNanos());
    loop.scheduleWithFixedDelay(this::dropOld, look, look, TimeUnit.NANOSECONDS);
  }

  /** One more; it leaves when it is closed. */
  public void enter(Channel client) {
    since.put(client, System.nanoTime());
    client.closeFuture().addListener(closed -> leave(client));
    if (since.size() > most) {
      drop(since.keySet().iterator().next());
    }
  }

  /** This one has gone on to another stage. */
  public void leave(Channel client) {
    since.remove(client);
  }

  private void dropOld() {
    long now = System.nanoTime();
    since.entrySet().stream()
        .takeWhile(client -> now - client.getValue() > longestNanos)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(Crowd::drop);
  }

  /** Without a word: the kernel would keep for minutes what a client does not fetch. */
  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
  private static void drop(Channel client) {
    client.config().setOption(ChannelOption.SO_LINGER, 0);
    client.close();
  }
}
