package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import java.util.List;

/** The identity of an entry of a keyed list. */
public final class ItemKey {
  private ItemKey() {}

  /** The entry's key fields alone, in the order of the keys. */
  public static ObjectNode of(JsonNode item, List<String> keys) {
    ObjectNode key = Json.object();
    for (String name : keys) {
      if (item.has(name)) {
        key.set(name, item.get(name));
      }
    }
    return key;
  }
}
