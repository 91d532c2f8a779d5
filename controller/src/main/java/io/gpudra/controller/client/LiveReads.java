package io.gpudra.controller.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.ObjectCache.Kept;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import okhttp3.Response;

/** Reads of one kind that ask the server instead of the cache. */
public final class LiveReads<T, V> {
  private static final Duration LIST_SILENCE = Duration.ofSeconds(30);

  private final HttpClients http;
  private final WatchedKind<T, V> kind;
  private final Consumer<MalformedObject> malformed;

  /**
   * Reads nothing yet.
   *
   * @param malformed learns of every object of a list that was skipped
   */
  public LiveReads(HttpClients http, WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) {
    this.http = http;
    this.kind = kind;
    this.malformed = malformed;
  }

  /**
   * GET of one object; empty when there is none.
   *
   * @throws IOException when the server does not answer with the object or its absence
   */
  public Optional<Kept<V>> get(String path) throws IOException {
    Answer answer = http.calls().get(path);
    if (answer.code() == 404) {
      return Optional.empty();
    }
    if (!answer.ok()) {
      throw new IOException("GET " + path + " answered " + answer.code());
    }
    return Optional.of(parse(answer.body()));
  }

  /**
   * All objects of the cluster as of now, not older than this call; one after the other, so that
   * they need not all be in memory beside those of the cache.
   *
   * @throws IOException when the list is not complete; some objects may have been handed over
   */
  public void list(Consumer<Kept<V>> found) throws IOException {
    try (Response response =
        http.streams(LIST_SILENCE).newCall(http.get(kind.path(), Map.of())).execute()) {
      if (!response.isSuccessful()) {
        throw new IOException("GET " + kind.path() + " answered " + response.code());
      }
      ListStream.read(response.body().charStream(), item -> take(item, found));
    }
  }

  /**
   * Reads one object, such as the answer to a write.
   *
   * @throws IOException when the text is no such object
   */
  public Kept<V> parse(String body) throws IOException {
    try {
      Incoming<V> incoming = Incoming.read(kind, JsonParser.parseString(body));
      if (incoming instanceof Incoming.Good<V> good) {
        return good.object();
      }
      throw new IOException("answer is no " + kind.kind());
    } catch (JsonParseException e) {
      throw new IOException("answer is no JSON", e);
    }
  }

  private void take(JsonElement item, Consumer<Kept<V>> found) {
    Incoming<V> incoming = Incoming.read(kind, item);
    if (incoming instanceof Incoming.Good<V> good) {
      found.accept(good.object());
    } else if (incoming instanceof Incoming.Bad<V> bad) {
      malformed.accept(bad.why());
    }
  }
}
