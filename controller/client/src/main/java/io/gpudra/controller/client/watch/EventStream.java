package io.gpudra.controller.client.watch;

import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonToken;
import io.gpudra.controller.client.LenientJson;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** The events of one watch, for client-java's reflector; ends with any failure. */
final class EventStream<T, V> implements Watchable<DecodedObject<V>> {
  private static final int GONE = 410;
  private static final FieldFilter OF_STATUS = FieldFilter.of("code", "message");

  private final WatchedKind<T, V> kind;
  private final DirectDeltaQueue<V> queue;
  private final WatchBackoff watchBackoff;
  private final Response response;
  private final ObjectReader in;
  private boolean heard;
  private Watch.@Nullable Response<DecodedObject<V>> next;

  EventStream(
      WatchedKind<T, V> kind,
      DirectDeltaQueue<V> queue,
      WatchBackoff watchBackoff,
      Response response) {
    this.kind = kind;
    this.queue = queue;
    this.watchBackoff = watchBackoff;
    this.response = response;
    this.in = ObjectReader.ofServer(response.body().charStream());
    // One value after the other is no JSON.
    in.setStrictness(Strictness.LENIENT);
  }

  /** The event of an expired resourceVersion, for a server that answers with the error itself. */
  static <T, V> EventStream<T, V> gone(
      WatchedKind<T, V> kind,
      DirectDeltaQueue<V> queue,
      WatchBackoff watchBackoff,
      Response response) {
    EventStream<T, V> events = new EventStream<>(kind, queue, watchBackoff, response);
    events.next = expired();
    return events;
  }

  private static <V> Watch.Response<DecodedObject<V>> expired() {
    return new Watch.Response<>("ERROR", new V1Status().code(GONE));
  }

  @Override
  public boolean hasNext() {
    try {
      while (next == null) {
        if (in.peek() == JsonToken.END_DOCUMENT) {
          return ended();
        }
        next = event();
      }
      return true;
    } catch (IOException | JsonParseException | IllegalStateException e) {
      watchBackoff.broken(String.valueOf(e));
      return false;
    }
  }

  private boolean ended() {
    if (!heard) {
      watchBackoff.broken("watch ended without events");
    }
    return false;
  }

  /** The event; null if the reflector need not see it. */
  private Watch.@Nullable Response<DecodedObject<V>> event() throws IOException {
    String type = "";
    Watch.Response<DecodedObject<V>> told = null;
    in.beginObject();
    while (in.hasNext()) {
      switch (in.nextName()) {
        case "type" -> type = in.nextString();
        case "object" -> told = of(type);
        default -> in.skipValue();
      }
    }
    in.endObject();
    if (type.isEmpty()) {
      throw new IOException("a value of the watch is no event");
    }
    return told;
  }

  /** The server sends the type of an event first, and then the object. */
  private Watch.@Nullable Response<DecodedObject<V>> of(String type) throws IOException {
    return switch (type) {
      case "ERROR" -> error(in.read(OF_STATUS, LenientJson.gson().getAdapter(V1Status.class)));
      case "" -> throw new IOException("an event says what it is about before what it is");
      default -> change(type, DecodedObject.read(kind, in));
    };
  }

  private Watch.@Nullable Response<DecodedObject<V>> change(
      String type, DecodedObject<V> decodedObject) {
    heard = true;
    watchBackoff.heard();
    if (type.equals("BOOKMARK")) {
      queue.upTo(decodedObject.resourceVersion());
    }
    if (!decodedObject.resourceVersion().isEmpty()) {
      return new Watch.Response<>(type, decodedObject);
    }
    // The reflector would go on from nowhere.
    switch (type) {
      case "DELETED" -> queue.delete(decodedObject);
      case "ADDED", "MODIFIED" -> queue.update(decodedObject);
      default -> {}
    }
    return null;
  }

  private Watch.Response<DecodedObject<V>> error(V1Status status) throws IOException {
    if (Objects.equals(status.getCode(), GONE)) {
      // Otherwise, after the server has forgotten all versions, only lists would be requested.
      watchBackoff.broken("the place in the watch is gone");
      return expired();
    }
    throw new IOException(status.getCode() + " " + status.getMessage());
  }

  @Override
  public Watch.Response<DecodedObject<V>> next() {
    Watch.Response<DecodedObject<V>> taken = next;
    if (taken == null) {
      throw new NoSuchElementException("hasNext() was not asked");
    }
    next = null;
    return taken;
  }

  @Override
  public Iterator<Watch.Response<DecodedObject<V>>> iterator() {
    return this;
  }

  @Override
  public void close() {
    response.close();
  }
}
