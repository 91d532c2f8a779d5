package io.gpudra.simulator.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;

/** Where an object lives among its kind; ordered by namespace, then name. */
public record Key(String namespace, String name) implements Comparable<Key> {

  /** The key that the object's metadata says. */
  public static Key of(ObjectNode object) {
    return new Key(Json.text(object, "metadata.namespace"), Json.text(object, "metadata.name"));
  }

  @Override
  public int compareTo(Key other) {
    int byNamespace = namespace.compareTo(other.namespace);
    return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
  }
}
