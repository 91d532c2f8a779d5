package io.gpudra.controller.client.watch;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.HttpClients;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import okhttp3.Call;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Lists in a stream and resumes watches, for client-java's reflector (defects 4 to 7, 23). To the
 * reflector, a broken or refused watch looks like a finished one, so that it does not list again.
 */
final class ResumableListerWatcher<T, V>
    implements ListerWatcher<DecodedObject<V>, IncomingList<V>> {
  private static final Duration LIST_SILENCE = Duration.ofSeconds(30);
  private static final int GONE = 410;
  private static final int TOO_LARGE_RESOURCE_VERSION = 504;

  private final HttpClients http;
  private final WatchedKind<T, V> kind;
  private final ObjectCache<V> cache;
  private final DirectDeltaQueue<V> queue;
  private final WatchBackoff watchBackoff;
  private final Meter lists;

  /** Whether the reflector asks for a version that the server does not have yet (27). */
  private boolean newest;

  private volatile @Nullable Call current;

  ResumableListerWatcher(
      HttpClients http,
      WatchedKind<T, V> kind,
      ObjectCache<V> cache,
      DirectDeltaQueue<V> queue,
      WatchBackoff watchBackoff,
      MetricRegistry metrics) {
    this.http = http;
    this.kind = kind;
    this.cache = cache;
    this.queue = queue;
    this.watchBackoff = watchBackoff;
    this.lists = metrics.meter("watch.lists." + kind.plural());
  }

  /** Ends a running call and allows no further one. */
  void stop() {
    watchBackoff.stop();
    Call call = current;
    if (call != null) {
      call.cancel();
    }
  }

  /** The reflector tries again after a failure. */
  @Override
  public IncomingList<V> list(CallGeneratorParams params) throws ApiException {
    Thread.currentThread().setName("watch-" + kind.plural());
    String from = newest ? "" : params.resourceVersion;
    try (Response response = execute(Map.of("resourceVersion", from), LIST_SILENCE)) {
      if (response.isSuccessful()) {
        return read(response);
      }
      newest = response.code() == TOO_LARGE_RESOURCE_VERSION;
      watchBackoff.refused(response);
      throw new ApiException(response.code(), "list refused");
    } catch (IOException e) {
      watchBackoff.broken(String.valueOf(e));
      throw new ApiException(e);
    }
  }

  private IncomingList<V> read(Response response) throws IOException {
    List<DecodedObject<V>> items = new ArrayList<>();
    String listed =
        ListStream.read(
            response.body().charStream(), in -> items.add(DecodedObject.read(kind, in, cache)));
    newest = false;
    lists.mark();
    watchBackoff.heard();
    return new IncomingList<>(items, listed);
  }

  /** Returns with a watch, or at the end. */
  @Override
  public Watchable<DecodedObject<V>> watch(CallGeneratorParams params) throws ApiException {
    while (!watchBackoff.stopped()) {
      try {
        // The server ends a watch in time, so a longer silence is a dead connection.
        Response response = execute(query(params), Duration.ofSeconds(params.timeoutSeconds + 30L));
        if (response.isSuccessful()) {
          return new EventStream<>(kind, queue, watchBackoff, response);
        }
        try (response) {
          watchBackoff.refused(response);
          if (response.code() == GONE) {
            return EventStream.gone(kind, queue, watchBackoff, response);
          }
        }
      } catch (IOException e) {
        watchBackoff.broken(String.valueOf(e));
      }
    }
    throw new ApiException("stopped");
  }

  private static Map<String, String> query(CallGeneratorParams params) {
    return Map.of(
        "watch",
        "true",
        "allowWatchBookmarks",
        "true",
        "resourceVersion",
        params.resourceVersion,
        "timeoutSeconds",
        String.valueOf(params.timeoutSeconds));
  }

  private Response execute(Map<String, String> query, Duration longestSilence) throws IOException {
    Call call = http.streams(longestSilence).newCall(http.get(kind.path(), kind.query(query)));
    current = call;
    if (watchBackoff.stopped()) {
      throw new IOException("stopped");
    }
    Response response = call.execute();
    if (response.isSuccessful()) {
      watchBackoff.answered();
    }
    return response;
  }
}
