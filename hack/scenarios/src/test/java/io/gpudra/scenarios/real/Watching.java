package io.gpudra.scenarios.real;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Every state of some objects, in the order they were written. */
final class Watching implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final Process kubectl;
  private final List<State> states = new CopyOnWriteArrayList<>();

  private Watching(Process kubectl) {
    this.kubectl = kubectl;
  }

  /**
   * Starts {@code kubectl get WHAT --watch}.
   *
   * @param what such as {@code -n ns resourceclaims}
   */
  static Watching start(Commands kubectl, ImmutableList<String> what) throws IOException {
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .addAll(kubectl.program())
            .add("get")
            .addAll(what)
            .add("--watch", "--output=json", "--output-watch-events")
            .build();
    Watching watching =
        new Watching(
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    Thread reader = new Thread(watching::read, "watching " + what);
    reader.setDaemon(true);
    reader.start();
    return watching;
  }

  private void read() {
    try (MappingIterator<JsonNode> events =
        JSON.readerFor(JsonNode.class).readValues(kubectl.getInputStream())) {
      while (events.hasNextValue()) {
        JsonNode event = events.nextValue();
        states.add(
            new State(
                Instant.now(),
                event.path("type").asText().equals("DELETED"),
                event.path("object")));
      }
    } catch (IOException e) {
      if (kubectl.isAlive()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The first that is so, of those that came so far. */
  Optional<State> first(Predicate<State> condition) {
    return states.stream().filter(condition).findFirst();
  }

  /** Those that came so far, in the order they were written. */
  ImmutableList<State> states() {
    return ImmutableList.copyOf(states);
  }

  @Override
  public void close() {
    kubectl.destroy();
  }

  /**
   * What an object was.
   *
   * @param seen when the test heard of it
   * @param deleted then it is the last one
   */
  record State(Instant seen, boolean deleted, JsonNode object) {
    String name() {
      return object.at("/metadata/name").asText();
    }

    boolean isAllocated() {
      return object.at("/status/allocation").isObject();
    }

    /** All objects of a real cluster share one order of writes. */
    long written() {
      return object.at("/metadata/resourceVersion").asLong();
    }
  }
}
