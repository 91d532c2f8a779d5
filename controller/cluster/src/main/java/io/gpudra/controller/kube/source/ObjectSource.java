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
}
