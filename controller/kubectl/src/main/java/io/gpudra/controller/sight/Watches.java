package io.gpudra.controller.sight;

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
import io.gpudra.controller.kube.source.Source;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Readings that cost the server nothing: each kind is listed and watched from the first time on
 * that somebody asks for it. One thread asks.
 */
public final class Watches implements Source, AutoCloseable {
  /** Rights change seldom; whoever lacks them should not fill the server's audit log. */
  private static final Duration REFUSAL_LASTS = Duration.ofMinutes(1);

  private final HttpClients http;
  private final Runnable changed;
  private final MetricRegistry metrics = new MetricRegistry();
  private final Map<String, KeptKind<?>> byPath = new ConcurrentHashMap<>();
  private final Cache<String, RefusedException> refused =
      CacheBuilder.newBuilder().expireAfterWrite(REFUSAL_LASTS).build();

  /**
   * Watches nothing yet.
   *
   * @param changed called by the watches' threads, and must return at once
   */
  public Watches(HttpClients http, Runnable changed) {
    this.http = http;
    this.changed = changed;
  }

  /** Waits for the first list of a kind. */
  @Override
  public <T, V> ImmutableMap<String, V> all(
      WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
    KeptKind<V> kept = kept(kind);
    kept.unreadable().forEach(malformed);
    return kept.objects();
  }

  @SuppressWarnings("unchecked") // of one path there is one kind
  private <T, V> KeptKind<V> kept(WatchedKind<T, V> kind) throws IOException {
    KeptKind<?> known = byPath.get(kind.path());
    if (known != null) {
      return (KeptKind<V>) known;
    }
    permitted(kind);
    KeptKind<V> first = KeptKind.of(http, kind, changed, metrics);
    byPath.put(kind.path(), first);
    first.awaitFirstList();
    return first;
  }

  /** A watch that is refused would be tried for ever. */
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

  /** What the server refuses now though it did not at first. */
  public ImmutableList<String> refusals() {
    return byPath.values().stream()
        .map(KeptKind::refusal)
        .flatMap(Optional::stream)
        .sorted()
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public void close() {
    byPath.values().forEach(KeptKind::close);
  }
}
