package io.gpudra.controller.webhook;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import java.net.InetAddress;
import java.time.Duration;

/**
 * The room for reviews that wait for a second evaluation. The addresses that had such reviews in
 * the last minute have equal shares of three quarters; the rest is for addresses that had none.
 * Thread-safe.
 */
final class DoubtfulReviews {

  /** Maximum number of reviews that wait. */
  private static final int MAX = 64;

  /** The maximum bytes of these reviews. */
  private static final int MAX_BYTES = 4 << 20;

  /** The room that the smallest review takes. */
  static final int PLACE = MAX_BYTES / MAX;

  private static final int FOR_NEW_ADDRESSES = MAX_BYTES / 4;
  private static final int MAX_ADDRESSES = 1_024;
  private static final Duration RECENT = Duration.ofMinutes(1);

  /** Both are guarded by this. */
  private final Multiset<InetAddress> bytes = HashMultiset.create();

  private final Cache<InetAddress, Boolean> recent;

  /** Room that no review has taken. */
  DoubtfulReviews(Ticker ticker) {
    this.recent =
        CacheBuilder.newBuilder()
            .maximumSize(MAX_ADDRESSES)
            .expireAfterWrite(RECENT)
            .ticker(ticker)
            .build();
  }

  /** Takes the room for a review of this length, if the client may have it. */
  synchronized boolean take(InetAddress client, int length) {
    recent.cleanUp();
    int room = recent.getIfPresent(client) == null ? MAX_BYTES : MAX_BYTES - FOR_NEW_ADDRESSES;
    recent.put(client, true);
    long share = Math.max(PLACE, (MAX_BYTES - FOR_NEW_ADDRESSES) / recent.size());
    int more = room(length);
    boolean fits = bytes.size() + more <= room && bytes.count(client) + more <= share;
    if (fits) {
      bytes.add(client, more);
    }
    return fits;
  }

  /** Returns the room of a review of this length. */
  synchronized void leave(InetAddress client, int length) {
    bytes.remove(client, room(length));
  }

  private static int room(int length) {
    return Math.max(length, PLACE);
  }
}
