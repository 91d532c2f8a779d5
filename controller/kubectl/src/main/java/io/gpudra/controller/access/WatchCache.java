package io.gpudra.controller.access;

import com.codahale.metrics.MetricRegistry;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.source.ObjectSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reads from watch caches, without a call to the API server. The watch of a kind starts when the
 * kind is first read. For one reading thread.
 */
public final class WatchCache implements ObjectSource, AutoCloseable {
  /**
   * The time for which a refusal is kept: permissions change seldom, and retries would fill the API
   * server's audit log.
   */
  private static final Duration REFUSAL_LASTS = Duration.ofMinutes(1);

  private final HttpClients http;
  private final Runnable changed;
  private final MetricRegistry metrics = new MetricRegistry();
  private final Map<String, CachedKind<?>> byPath = new ConcurrentHashMap<>();
  private final Cache<String, RefusedException> refused =
      CacheBuilder.newBuilder().expireAfterWrite(REFUSAL_LASTS).build();

  /**
   * A cache that watches nothing yet.
   *
   * @param changed is called by the watches' threads and must return at once
   */
  public WatchCache(HttpClients http, Runnable changed) {
    this.http = http;
    this.changed = changed;
  }

  /** Blocks until the first list of the kind is complete. */
  @Override
  public <T, V> ImmutableMap<String, V> all(
      WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
    CachedKind<V> kept = kept(kind);
    kept.unreadable().forEach(malformed);
    return kept.objects();
  }

  @SuppressWarnings("unchecked") // each path has one kind
  private <T, V> CachedKind<V> kept(WatchedKind<T, V> kind) throws IOException {
    CachedKind<?> known = byPath.get(kind.path());
    if (known != null) {
      return (CachedKind<V>) known;
    }
    permitted(kind);
    CachedKind<V> first = CachedKind.of(http, kind, changed, metrics);
    byPath.put(kind.path(), first);
    first.awaitFirstList();
    return first;
  }

  /** Checks the permission first: a watch without it would be retried forever. */
  private void permitted(WatchedKind<?, ?> kind) throws IOException {
    RefusedException before = refused.getIfPresent(kind.path());
    if (before != null) {
      throw before;
    }
    try {
      new LiveObjects<>(http, kind, unread -> {}).probe();
    } catch (RefusedException e) {
      refused.put(kind.path(), e);
      throw e;
    }
  }

  /** The kinds that the API server refuses now but did not at first. */
  public ImmutableList<String> refusals() {
    return byPath.values().stream()
        .map(CachedKind::refusal)
        .flatMap(Optional::stream)
        .sorted()
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public void close() {
    byPath.values().forEach(CachedKind::close);
  }
}
