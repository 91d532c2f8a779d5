package io.gpudra.simulator.kinds;

import io.gpudra.simulator.api.Resource;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** The kinds served now; custom ones come and go. Thread-safe. */
public final class Kinds {
  private final Map<Resource, Kind> kinds =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(Resource::group)
              .thenComparing(Resource::version)
              .thenComparing(Resource::plural));

  /** Serves the kind, instead of an earlier one of this name. */
  public void serve(Kind kind) {
    kinds.put(kind.resource(), kind);
  }

  /** Stops serving. */
  public void drop(Resource resource) {
    kinds.remove(resource);
  }

  /** The kind at a URL. */
  public Optional<Kind> find(Resource resource) {
    return Optional.ofNullable(kinds.get(resource));
  }

  /** All kinds, ordered by group, version and plural. */
  public Collection<Kind> all() {
    return kinds.values();
  }
}
