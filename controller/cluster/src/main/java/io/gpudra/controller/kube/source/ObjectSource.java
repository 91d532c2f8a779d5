package io.gpudra.controller.kube.source;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Futures;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.WatchedKind;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** The source of the objects of a snapshot. */
public interface ObjectSource {

  /**
   * All objects of a kind by {@code namespace/name}, or by name if it is cluster-scoped.
   *
   * @param malformed receives every object that is skipped
   * @throws RefusedException if the kind is not served, or forbidden
   * @throws IOException if the list is not complete
   */
  <T, V> ImmutableMap<String, V> all(WatchedKind<T, V> kind, Consumer<MalformedObject> malformed)
      throws IOException;

  /** Lists from the API server each time. */
  static ObjectSource listing(HttpClients http) {
    return new Listing(http);
  }

  /** Lists only these kinds, in parallel; for one snapshot. */
  static ObjectSource listing(HttpClients http, ImmutableList<WatchedKind<?, ?>> kinds) {
    return new RestrictedSource(
        new PrefetchSource(listing(http), kinds),
        kinds.stream().map(WatchedKind::kind).collect(ImmutableSet.toImmutableSet()));
  }

  /** One list call for each kind. */
  record Listing(HttpClients http) implements ObjectSource {

    @Override
    public <T, V> ImmutableMap<String, V> all(
        WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
      ImmutableMap.Builder<String, V> found = ImmutableMap.builder();
      new LiveObjects<>(http, kind, malformed).list(kept -> found.put(kept.key(), kept.value()));
      return found.buildOrThrow();
    }
  }

  /**
   * A source that only has some kinds.
   *
   * @param kinds such as {@code ResourceClaim}
   */
  record RestrictedSource(ObjectSource source, ImmutableSet<String> kinds) implements ObjectSource {

    @Override
    public <T, V> ImmutableMap<String, V> all(
        WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
      return kinds.contains(kind.kind()) ? source.all(kind, malformed) : ImmutableMap.of();
    }
  }

  /**
   * Prefetches some kinds in parallel, so that the latency of a distant API server counts once. For
   * one snapshot.
   */
  static final class PrefetchSource implements ObjectSource {

    private record Answer(
        ImmutableMap<String, ?> objects,
        ImmutableList<MalformedObject> malformed,
        Optional<IOException> problem) {}

    private final ObjectSource source;
    private final ImmutableMap<String, FutureTask<Answer>> begun;

    PrefetchSource(ObjectSource source, ImmutableList<WatchedKind<?, ?>> kinds) {
      this.source = source;
      this.begun =
          kinds.stream()
              .collect(ImmutableMap.toImmutableMap(WatchedKind::path, kind -> begin(source, kind)));
    }

    private static FutureTask<Answer> begin(ObjectSource source, WatchedKind<?, ?> kind) {
      FutureTask<Answer> task = new FutureTask<>(() -> answer(source, kind));
      Thread thread = new Thread(task, "list-" + kind.plural());
      thread.setDaemon(true);
      thread.start();
      return task;
    }

    private static Answer answer(ObjectSource source, WatchedKind<?, ?> kind) {
      ImmutableList.Builder<MalformedObject> malformed = ImmutableList.builder();
      try {
        ImmutableMap<String, ?> objects = source.all(kind, malformed::add);
        return new Answer(objects, malformed.build(), Optional.empty());
      } catch (IOException e) {
        return new Answer(ImmutableMap.of(), ImmutableList.of(), Optional.of(e));
      }
    }

    @Override
    @SuppressWarnings("unchecked") // each path has one kind
    public <T, V> ImmutableMap<String, V> all(
        WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
      FutureTask<Answer> its = begun.get(kind.path());
      if (its == null) {
        return source.all(kind, malformed);
      }
      Answer answer = Objects.requireNonNull(Futures.getUnchecked(its));
      if (answer.problem().isPresent()) {
        throw answer.problem().get();
      }
      answer.malformed().forEach(malformed);
      return (ImmutableMap<String, V>) answer.objects();
    }
  }
}
