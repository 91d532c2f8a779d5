package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Store.Change;
import io.gpudra.simulator.store.Store.Page;
import io.gpudra.simulator.store.Store.PageRequest;
import io.gpudra.simulator.store.Stored;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** One watch: sends the history of its resource at its own pace, in its own thread. */
final class Watch {
  private static final long LONGEST_SECONDS = 3600;
  private static final long POLL_MILLIS = 500;
  private static final Duration BOOKMARK_EVERY = Duration.ofMinutes(1);
  private static final Duration BOOKMARK_BEFORE_END = Duration.ofSeconds(2);

  private final Store store;
  private final Call call;
  private final Kind kind;
  private final Form form;
  private final Predicate<ObjectNode> selector;
  private final long end;
  // A shorter watch gets no bookmark before its end.
  private final boolean bookmarksEnd;
  private long position;
  private boolean columnsSent;
  private long bookmarked;
  private long bookmarkedAt = System.nanoTime();

  /** Output; an empty array only starts the response. */
  interface Sink {
    /** Sends bytes now. */
    void send(byte[] bytes) throws IOException;
  }

  /** Rejects invalid options before the response starts. */
  Watch(Store store, Call call, Kind kind) {
    this.store = store;
    this.call = call;
    this.kind = kind;
    this.form = Form.of(call);
    this.selector = Selector.of(kind, call);
    String revision = call.param("resourceVersion");
    check(call);
    this.position = Call.revision(revision);
    String timeout = call.param("timeoutSeconds");
    long seconds = timeout.isEmpty() ? LONGEST_SECONDS : Long.parseLong(timeout);
    this.end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    this.bookmarksEnd = seconds > BOOKMARK_BEFORE_END.toSeconds();
  }

  private static void check(Call call) {
    Problems problems = new Problems();
    if (!call.param("sendInitialEvents").isEmpty()) {
      problems.forbidden(
          "sendInitialEvents",
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled");
    } else if (!call.param("resourceVersionMatch").isEmpty()) {
      problems.forbidden(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    Lists.refuse(problems);
  }

  /** Runs until the timeout, the loss of history, the end of the connection, or {@code stopped}. */
  void run(Sink sink, Faults faults, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    sink.send(new byte[0]);
    if (position == 0) {
      sendAll(sink);
    }
    bookmarked = position;
    while (!stopped.getAsBoolean() && System.nanoTime() - end < 0) {
      Optional<List<Change>> changes = store.changes(kind.resource(), position);
      if (changes.isEmpty()) {
        ObjectNode gone =
            Refusal.expired("too old resource version: " + position + " (" + store.revision() + ")")
                .status();
        sink.send(line("ERROR", Reply.bytes(gone)));
        return;
      }
      if (!changes.get().isEmpty()) {
        Thread.sleep(faults.watchDelay().toMillis());
      }
      for (Change change : changes.get()) {
        send(change, sink);
        position = change.revision();
      }
      bookmark(sink);
      store.awaitChange(kind.resource(), position, Math.min(POLL_MILLIS, leftMillis()));
    }
  }

  private long leftMillis() {
    return Math.max(1, (end - System.nanoTime()) / 1_000_000);
  }

  private void sendAll(Sink sink) throws IOException {
    Page page = store.page(kind.resource(), PageRequest.all(call.key().namespace())).orElseThrow();
    for (Stored item : page.items()) {
      if (selector.test(item.object())) {
        sink.send(line("ADDED", shown(item)));
      }
    }
    position = page.revision();
  }

  /** For a watch with a selector, objects are added and deleted as they start and stop matching. */
  private void send(Change change, Sink sink) throws IOException {
    boolean now = selector.test(change.now().object());
    boolean before = change.before().filter(old -> selector.test(old.object())).isPresent();
    if (change.type().equals("DELETED")) {
      now = false;
    }
    if (now) {
      sink.send(line(before ? "MODIFIED" : "ADDED", shown(change.now())));
    } else if (before) {
      sink.send(line("DELETED", gone(change)));
    }
  }

  private byte[] gone(Change change) {
    if (change.type().equals("DELETED")) {
      return shown(change.now());
    }
    ObjectNode last = change.before().orElseThrow().copy();
    Json.meta(last).put("resourceVersion", Long.toString(change.revision()));
    return Reply.bytes(formed(last));
  }

  private byte[] shown(Stored stored) {
    return form == Form.OBJECT ? stored.json() : Reply.bytes(formed(stored.object()));
  }

  /** Only the first table has column definitions. */
  private ObjectNode formed(ObjectNode object) {
    ObjectNode shown = form.one(kind, object, call);
    if (form == Form.TABLE && columnsSent) {
      shown.putArray("columnDefinitions");
    }
    columnsSent = true;
    return shown;
  }

  private void bookmark(Sink sink) throws IOException {
    long now = System.nanoTime();
    boolean due =
        now - bookmarkedAt > BOOKMARK_EVERY.toNanos()
            || (bookmarksEnd && end - now < BOOKMARK_BEFORE_END.toNanos());
    if (due && position > bookmarked && call.param("allowWatchBookmarks").equals("true")) {
      ObjectNode bookmark = form.one(kind, Form.bookmark(kind, position), call);
      sink.send(line("BOOKMARK", Reply.bytes(bookmark)));
      bookmarked = position;
      bookmarkedAt = now;
    }
  }

  private static byte[] line(String type, byte[] object) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(object.length + 40);
    out.write(("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.UTF_8));
    out.write(object);
    out.write("}\n".getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }
}
