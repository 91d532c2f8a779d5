package io.gpudra.simulator.http;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** The newest requests, for tests that count what a client does. Thread-safe. */
public final class RequestLog {
  private static final int LIMIT = 100_000;
  private final Deque<Entry> entries = new ArrayDeque<>();

  /**
   * A request for objects.
   *
   * @param verb as audit logs name it
   * @param resource with its subresource
   * @param code of the answer; 0 when the connection was broken on purpose
   */
  public record Entry(
      String verb, String resource, String namespace, String name, String userAgent, int code) {}

  synchronized void add(Call call, int code) {
    String agent = call.header("user-agent");
    String namespace = call.key().namespace();
    entries.add(new Entry(call.verb(), call.what(), namespace, call.key().name(), agent, code));
    if (entries.size() > LIMIT) {
      entries.remove();
    }
  }

  /** All requests, oldest first. A watch is here from when it is accepted. */
  public synchronized List<Entry> all() {
    return List.copyOf(entries);
  }

  /** How many requests are of this kind. */
  public long count(Predicate<Entry> kind) {
    return all().stream().filter(kind).count();
  }

  /** Forgets. */
  public synchronized void clear() {
    entries.clear();
  }
}
