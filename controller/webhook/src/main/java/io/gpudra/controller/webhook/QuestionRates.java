package io.gpudra.controller.webhook;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.RateLimiter;
import java.net.InetAddress;

/**
 * Limits the rate at which reviews may read the nodes of pods. Any client of the port can invent
 * reviews, and each costs a request with our account. Each address has a share that no other can
 * use, and all have one together, so that a flood of reviews cannot block those of an API server.
 */
final class QuestionRates {

  /**
   * Per second. After a start, 5,000 plugins are known within half a minute, and within a minute
   * during a flood: long before their inventories are stale.
   */
  static final int OF_ADDRESS = 100;

  static final int OF_ALL = 100;

  /**
   * Twice the connections of the port. An address that was forgotten begins with an unused share.
   */
  static final int MAX_ADDRESSES = 1024;

  private final RateLimiter ofAll = RateLimiter.create(OF_ALL);
  private final LoadingCache<InetAddress, RateLimiter> ofAddress =
      CacheBuilder.newBuilder()
          .maximumSize(MAX_ADDRESSES)
          .build(CacheLoader.from(address -> RateLimiter.create(OF_ADDRESS)));

  /** Whether a read is allowed now; uses up the share of the address first. */
  boolean mayAsk(InetAddress client) {
    return ofAddress.getUnchecked(client).tryAcquire() || ofAll.tryAcquire();
  }

  @VisibleForTesting
  long addresses() {
    return ofAddress.size();
  }
}
