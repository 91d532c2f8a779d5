package io.gpudra.controller.client;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.primitives.Longs;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a cache equal to the server: one list, then watches that go on where the last one ended; a
 * new list only when the server says that this place is gone. One thread, which also tells the
 * listener.
 *
 * <p>Stands in for client-java's informer, of which a lister-watcher of ours could have mended
 * defects 4 to 7 and 9, but not its queue, which loses deletions that meet a new list (21) and
 * merges the changes of one object, so that those of different objects change places. There is no
 * queue here.
 */
public final class Reflector<T, V> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);
  private static final Duration LIST_SILENCE = Duration.ofSeconds(30);
  private static final int SHORTEST_WATCH_SECONDS = 240;
  private static final int GONE = 410;
  private static final int TOO_LARGE_RESOURCE_VERSION = 504;

  private final HttpClients http;
  private final WatchedKind<T, V> kind;
  private final ObjectCache<V> cache;
  private final CacheFeed<V> feed;
  private final Meter lists;
  private final Meter failures;

  private final Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;

  /** Where to list from while there is no position: "0" any cached state, "" the newest. */
  private String listFrom = "0";

  /** Where to watch from; empty while a list is due. Confined to the thread. */
  private String position = "";

  private volatile boolean synced;
  private volatile long lastContactNanos = System.nanoTime();
  private volatile @Nullable Call current;

  /** How a try ended, if not with an IOException. */
  private sealed interface End {

    /** Go on at once. */
    record Clean() implements End {}

    /** Go on after a while. */
    record Failed(String why, Duration askedFor) implements End {}

    /** The position is too old: list the newest, after a while. */
    record Expired() implements End {}
  }

  /**
   * Not started yet.
   *
   * @param cache written by nobody else
   * @param malformed learns of every object that was skipped
   */
  public Reflector(
      HttpClients http,
      WatchedKind<T, V> kind,
      ObjectCache<V> cache,
      CacheListener<V> listener,
      Consumer<MalformedObject> malformed,
      MetricRegistry metrics) {
    this.http = http;
    this.kind = kind;
    this.cache = cache;
    this.feed = new CacheFeed<>(kind.plural(), cache, listener, malformed, metrics);
    this.lists = metrics.meter("watch.lists." + kind.plural());
    this.failures = metrics.meter("watch.failures." + kind.plural());
    this.thread = new Thread(this::run, "watch-" + kind.plural());
    this.thread.setDaemon(true);
  }

  /** Starts the thread; once. */
  public void start() {
    thread.start();
  }

  /** Whether the first list is in the cache and the listener knows all of it. */
  public boolean synced() {
    return synced;
  }

  /** Time since the server last said anything; a healthy watch is renewed every 8 minutes. */
  public Duration silence() {
    return Duration.ofNanos(System.nanoTime() - lastContactNanos);
  }

  /** Which resource this is, as in URLs. */
  public String plural() {
    return kind.plural();
  }

  /** Ends the thread; the listener is not called afterwards. */
  @Override
  public void close() {
    stopped.countDown();
    Call call = current;
    if (call != null) {
      call.cancel();
    }
    Uninterruptibles.joinUninterruptibly(thread);
  }

  private void run() {
    while (stopped.getCount() > 0) {
      settle(attempt());
    }
  }

  private End attempt() {
    try {
      return position.isEmpty() ? list() : watch();
    } catch (IOException e) {
      return new End.Failed(String.valueOf(e), Duration.ZERO);
    } catch (RuntimeException e) {
      log.error("watch failed unexpectedly, listing again resource={}", plural(), e);
      position = "";
      return new End.Failed("see the error above", Duration.ZERO);
    }
  }

  private void settle(End end) {
    if (end instanceof End.Expired) {
      position = "";
      listFrom = "";
      // A server that has forgotten everything would else be asked for nothing but lists.
      waitFor(backoff.next(Duration.ZERO));
    } else if (end instanceof End.Failed failed && stopped.getCount() > 0) {
      failures.mark();
      Duration wait = backoff.next(failed.askedFor());
      log.debug("watch broken resource={} waitMs={} why={}", plural(), wait.toMillis(), failed.why);
      waitFor(wait);
    }
  }

  private void waitFor(Duration wait) {
    if (Uninterruptibles.awaitUninterruptibly(stopped, wait)) {
      log.debug("watch ends resource={}", plural());
    }
  }

  private End list() throws IOException {
    try (Response response = execute(Map.of("resourceVersion", listFrom), LIST_SILENCE)) {
      if (!response.isSuccessful()) {
        listFrom = response.code() == TOO_LARGE_RESOURCE_VERSION ? "" : listFrom;
        return refused(response);
      }
      String listed =
          ListStream.read(
              response.body().charStream(), kind.fields(), e -> feed.item(Incoming.read(kind, e)));
      // Before what is gone is told: an answer of a call that is just coming in must not revive it.
      advance(listed);
      feed.listed(listed);
    } catch (IOException e) {
      feed.broken();
      throw e;
    }
    // From now on the past would bring back what is gone.
    listFrom = "";
    lists.mark();
    backoff.reset();
    synced = true;
    return new End.Clean();
  }

  private End watch() throws IOException {
    int seconds =
        SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS);
    Map<String, String> query =
        Map.of(
            "watch",
            "true",
            "allowWatchBookmarks",
            "true",
            "resourceVersion",
            position,
            "timeoutSeconds",
            String.valueOf(seconds));
    // The server ends a watch in time, so a longer silence is a dead connection.
    try (Response response = execute(query, Duration.ofSeconds(seconds + 30L))) {
      return response.isSuccessful() ? follow(response.body().source()) : refused(response);
    }
  }

  private End follow(BufferedSource lines) throws IOException {
    boolean heard = false;
    for (String line = lines.readUtf8Line(); line != null; line = lines.readUtf8Line()) {
      End end = event(line);
      if (!(end instanceof End.Clean) || stopped.getCount() == 0) {
        return end;
      }
      heard = true;
      backoff.reset();
      lastContactNanos = System.nanoTime();
    }
    return heard ? new End.Clean() : new End.Failed("watch ended without events", Duration.ZERO);
  }

  private End event(String line) throws IOException {
    JsonObject event = parse(line);
    String type = event.get("type").getAsString();
    if (type.equals("ERROR")) {
      return error(event.getAsJsonObject("object"));
    }
    Incoming<V> incoming = Incoming.read(kind, event.get("object"));
    switch (type) {
      case "ADDED", "MODIFIED" -> feed.changed(incoming);
      case "DELETED" -> feed.gone(incoming.key());
      default -> log.trace("bookmark resource={}", plural());
    }
    if (!incoming.resourceVersion().isEmpty()) {
      advance(incoming.resourceVersion());
    }
    return new End.Clean();
  }

  private void advance(String resourceVersion) {
    position = resourceVersion;
    cache.completeUpTo(resourceVersion);
  }

  private static JsonObject parse(String line) throws IOException {
    try {
      JsonObject event = JsonParser.parseString(line).getAsJsonObject();
      if (event.has("type") && event.has("object")) {
        return event;
      }
      throw new IOException("watch line is no event");
    } catch (JsonParseException | IllegalStateException e) {
      throw new IOException("watch line is no JSON object", e);
    }
  }

  private static End error(JsonObject status) {
    boolean expired = status.has("code") && status.get("code").getAsInt() == GONE;
    return expired ? new End.Expired() : new End.Failed(status.toString(), Duration.ZERO);
  }

  private End refused(Response response) {
    if (response.code() == GONE) {
      return new End.Expired();
    }
    Long seconds = Longs.tryParse(String.valueOf(response.header("Retry-After")));
    return new End.Failed(
        "HTTP " + response.code(), seconds == null ? Duration.ZERO : Duration.ofSeconds(seconds));
  }

  private Response execute(Map<String, String> query, Duration longestSilence) throws IOException {
    Call call = http.streams(longestSilence).newCall(http.get(kind.path(), query));
    current = call;
    if (stopped.getCount() == 0) {
      throw new IOException("stopped");
    }
    Response response = call.execute();
    if (response.isSuccessful()) {
      lastContactNanos = System.nanoTime();
    }
    return response;
  }
}
