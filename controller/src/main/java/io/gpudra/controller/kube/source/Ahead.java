package io.gpudra.controller.kube.source;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Futures;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.WatchedKind;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * Takes the largest kind from another source by a thread of its own, from the beginning on, while
 * others are asked for. For one reading.
 */
final class Ahead<V> implements Source {

  private record Answer<V>(
      ImmutableMap<String, V> objects,
      ImmutableList<MalformedObject> malformed,
      Optional<IOException> problem) {}

  private final Source source;
  private final String path;
  private final FutureTask<Answer<V>> begun;

  Ahead(Source source, WatchedKind<?, V> kind) {
    this.source = source;
    this.path = kind.path();
    this.begun = new FutureTask<>(() -> answer(source, kind));
    Thread thread = new Thread(begun, "list-" + kind.plural());
    thread.setDaemon(true);
    thread.start();
  }

  private static <V> Answer<V> answer(Source source, WatchedKind<?, V> kind) {
    ImmutableList.Builder<MalformedObject> malformed = ImmutableList.builder();
    try {
      ImmutableMap<String, V> objects = source.all(kind, malformed::add);
      return new Answer<>(objects, malformed.build(), Optional.empty());
    } catch (IOException e) {
      return new Answer<>(ImmutableMap.of(), ImmutableList.of(), Optional.of(e));
    }
  }

  @Override
  @SuppressWarnings("unchecked") // of one path there is one kind
  public <T, W> ImmutableMap<String, W> all(
      WatchedKind<T, W> kind, Consumer<MalformedObject> malformed) throws IOException {
    if (!kind.path().equals(path)) {
      return source.all(kind, malformed);
    }
    Answer<V> answer = Objects.requireNonNull(Futures.getUnchecked(begun));
    if (answer.problem().isPresent()) {
      throw answer.problem().get();
    }
    answer.malformed().forEach(malformed);
    return (ImmutableMap<String, W>) answer.objects();
  }
}
