package io.gpudra.controller.kube.source;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.WatchedKind;
import java.io.IOException;
import java.util.function.Consumer;

/** Where a reading takes its objects from. */
public interface Source {

  /**
   * All objects of a kind by {@code namespace/name}, or by name where there are no namespaces.
   *
   * @param malformed learns of every object that is left out
   * @throws RefusedException when the server does not serve them, or not to this caller
   * @throws IOException when not all of them are known
   */
  <T, V> ImmutableMap<String, V> all(WatchedKind<T, V> kind, Consumer<MalformedObject> malformed)
      throws IOException;

  /** The server, asked anew each time. */
  static Source listing(HttpClients http) {
    return new Listing(http);
  }

  /** These kinds and no others, listed all at once; for one reading. */
  static Source listing(HttpClients http, ImmutableList<WatchedKind<?, ?>> kinds) {
    return new Part(
        new Ahead(listing(http), kinds),
        kinds.stream().map(WatchedKind::kind).collect(ImmutableSet.toImmutableSet()));
  }

  /** One list for each question. */
  record Listing(HttpClients http) implements Source {

    @Override
    public <T, V> ImmutableMap<String, V> all(
        WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
      ImmutableMap.Builder<String, V> found = ImmutableMap.builder();
      new LiveObjects<>(http, kind, malformed).list(kept -> found.put(kept.key(), kept.value()));
      return found.buildOrThrow();
    }
  }
}
