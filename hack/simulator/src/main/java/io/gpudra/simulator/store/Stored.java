package io.gpudra.simulator.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One version of an object. Callers must not change {@link #object()}. */
public final class Stored {
  private static final List<String> FIRST = List.of("kind", "apiVersion");

  private final ObjectNode object;
  private final long revision;
  // Serialised at most once per version, however many lists and watches send it; a race is benign.
  private volatile byte @Nullable [] json;

  Stored(ObjectNode object, long revision) {
    this.object = object;
    this.revision = revision;
  }

  /** The object; read only. */
  public ObjectNode object() {
    return object;
  }

  /** The object's resourceVersion. */
  public long revision() {
    return revision;
  }

  /** The caller's own copy. */
  public ObjectNode copy() {
    return object.deepCopy();
  }

  /** The object as JSON, kind and apiVersion first; read only. */
  public byte[] json() {
    byte[] made = json;
    if (made == null) {
      made = bytes(object);
      json = made;
    }
    return made;
  }

  private static byte[] bytes(ObjectNode object) {
    try {
      ObjectNode ordered = Json.object();
      FIRST.forEach(name -> ordered.set(name, object.path(name)));
      return Json.MAPPER.writeValueAsBytes(ordered.setAll(object));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
