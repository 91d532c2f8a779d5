package io.gpudra.controller.client.watch;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.openapi.ApiCallback;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Objects of one kind as the server has them now, and patches of them. client-java's typed API
 * builds the calls. The answers are read here, since client-java would keep each in memory twice.
 */
public final class LiveObjects<T, V> {
  private static final Duration LIST_SILENCE = Duration.ofSeconds(30);
  private static final int NOT_FOUND = 404;

  /** Objects of a megabyte need ten megabytes to read. */
  static final int AT_ONCE = 8;

  private final HttpClients http;
  private final WatchedKind<T, V> kind;
  private final Consumer<MalformedObject> malformed;
  private final long maxBytes;
  private final Semaphore reading = new Semaphore(AT_ONCE);

  /** A request of a typed API: its method {@code buildCall}. */
  public interface Built {
    Call call(@Nullable ApiCallback<?> none) throws ApiException;
  }

  /** The answer to a write. */
  public sealed interface Written<V> {

    /** The object after the write. */
    record Stored<V>(Kept<V> object) implements Written<V> {}

    /** The server refused the write. */
    record Refused<V>(Answer answer) implements Written<V> {}
  }

  /**
   * A reader that has not read anything yet.
   *
   * @param malformed receives every object of a list that was skipped
   */
  public LiveObjects(
      HttpClients http, WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) {
    this(http, kind, malformed, Long.MAX_VALUE);
  }

  /**
   * A reader with a limit for each single object.
   *
   * @param malformed receives every object of a list that was skipped
   * @param maxBytes maximum of estimated bytes in memory
   */
  public LiveObjects(
      HttpClients http,
      WatchedKind<T, V> kind,
      Consumer<MalformedObject> malformed,
      long maxBytes) {
    this.http = http;
    this.kind = kind;
    this.malformed = malformed;
    this.maxBytes = maxBytes;
  }

  /**
   * One object; empty when there is none.
   *
   * @throws TooLargeException when it would exceed the memory limit
   * @throws IOException when the server does not answer with the object or its absence
   */
  public Optional<Kept<V>> get(Built read) throws IOException {
    try (Response response = call(read).execute()) {
      if (response.code() == NOT_FOUND) {
        return Optional.empty();
      }
      if (!response.isSuccessful()) {
        throw new IOException("reading a " + kind.kind() + " answered " + response.code());
      }
      return Optional.of(object(response));
    }
  }

  /**
   * Changes one object.
   *
   * @param format of the patch, which the typed API leaves to its callers
   * @throws IOException when no answer came: the server may have acted, or may still
   */
  public Written<V> patch(Built patch, String format) throws IOException {
    Request request = call(patch).request();
    Buffer body = new Buffer();
    request.body().writeTo(body);
    Request formed =
        request
            .newBuilder()
            .patch(RequestBody.create(body.readByteString(), MediaType.get(format)))
            .build();
    try (Response response = http.api().getHttpClient().newCall(formed).execute()) {
      return response.isSuccessful()
          ? new Written.Stored<>(object(response))
          : new Written.Refused<>(Answer.refusal(response));
    }
  }

  private static Call call(Built built) throws IOException {
    try {
      return built.call(null);
    } catch (ApiException e) {
      throw new IOException("no call can be made of this", e);
    }
  }

  /**
   * Requests one object without reading it.
   *
   * @throws RefusedException when the server does not serve the kind, or not to this caller
   * @throws IOException when no answer came
   */
  public void probe() throws IOException {
    Request one = http.get(kind.path(), kind.query(Map.of("limit", "1")));
    try (Response response = http.api().getHttpClient().newCall(one).execute()) {
      if (!response.isSuccessful()) {
        throw new RefusedException(kind.path(), response.code());
      }
    }
  }

  /**
   * All objects of the cluster, not older than this call, one after the other, so that they are not
   * all in memory beside those of the cache.
   *
   * @throws RefusedException when the server does not serve the kind, or not to this caller
   * @throws IOException when the list is not complete; some objects may have been passed on
   */
  public void list(Consumer<Kept<V>> found) throws IOException {
    list(found, ListLimit.NONE);
  }

  /**
   * The same within a limit.
   *
   * @throws TooLargeException when the list has more characters
   * @throws TooSlowException when it takes longer
   */
  public void list(Consumer<Kept<V>> found, ListLimit limit) throws IOException {
    try {
      listWithin(found, limit);
    } catch (InterruptedIOException e) {
      throw limit.of(e);
    }
  }

  private void listWithin(Consumer<Kept<V>> found, ListLimit limit) throws IOException {
    long sent = limit.nanoTime().getAsLong();
    Call call = http.streams(LIST_SILENCE).newCall(http.get(kind.path(), kind.query()));
    try (Response response = limit.of(call).execute()) {
      if (!response.isSuccessful()) {
        throw new RefusedException(kind.path(), response.code());
      }
      ListStream.read(
          limit.of(response.body().charStream(), sent),
          in -> dispatch(DecodedObject.read(kind, in), found));
    }
  }

  private Kept<V> object(Response response) throws IOException {
    reading.acquireUninterruptibly();
    try {
      return read(response);
    } finally {
      reading.release();
    }
  }

  private Kept<V> read(Response response) throws IOException {
    try (ObjectReader in = ObjectReader.ofServer(response.body().charStream(), maxBytes)) {
      if (DecodedObject.read(kind, in) instanceof DecodedObject.Valid<V> good) {
        return good.object();
      }
      throw new IOException("answer is no " + kind.kind());
    }
  }

  private void dispatch(DecodedObject<V> decodedObject, Consumer<Kept<V>> found) {
    if (decodedObject instanceof DecodedObject.Valid<V> good) {
      found.accept(good.object());
    } else if (decodedObject instanceof DecodedObject.Malformed<V> undecoded) {
      malformed.accept(undecoded.why());
    }
  }
}
