package io.gpudra.controller.client.watch;

import com.google.common.base.Ascii;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** One object as it came over the wire: understood, or not but still with a name. */
sealed interface Incoming<V> extends KubernetesObject {
  /** It is remembered and may quote the object. */
  int LONGEST_PROBLEM = 512;

  /** Key in the cache. */
  String key();

  /** Empty when the object had none. */
  String resourceVersion();

  /** What client-java's reflector asks for; made anew each time, so that none is kept. */
  @Override
  default V1ObjectMeta getMetadata() {
    return new V1ObjectMeta().resourceVersion(resourceVersion());
  }

  @Override
  default String getApiVersion() {
    return "";
  }

  @Override
  default String getKind() {
    return "";
  }

  /** Understood. */
  record Good<V>(Kept<V> object) implements Incoming<V> {
    @Override
    public String key() {
      return object.key();
    }

    @Override
    public String resourceVersion() {
      return object.resourceVersion();
    }
  }

  /** To be skipped. */
  record Bad<V>(String key, String resourceVersion, MalformedObject why) implements Incoming<V> {}

  /** Reads one object; whatever is wrong with it stays with it. */
  static <T, V> Incoming<V> read(WatchedKind<T, V> kind, JsonElement element) {
    return read(kind, element, new ObjectCache<>());
  }

  /** As the other one, but what is known is not made anew, so that a list of it costs nothing. */
  static <T, V> Incoming<V> read(
      WatchedKind<T, V> kind, JsonElement element, ObjectCache<V> known) {
    JsonObject metadata = object(object(element), "metadata");
    String namespace = text(metadata, "namespace");
    String name = text(metadata, "name");
    String uid = text(metadata, "uid");
    String version = text(metadata, "resourceVersion");
    String key = ObjectCache.key(namespace, name);
    Kept<V> before = known.get(key).orElse(null);
    if (before != null && before.uid().equals(uid) && before.resourceVersion().equals(version)) {
      return new Good<>(before);
    }
    try {
      T object = LenientJson.gson().fromJson(element, kind.type());
      return new Good<>(new Kept<>(key, uid, version, kind.keep().apply(object)));
    } catch (RuntimeException e) {
      // Anybody can store such an object; neither Gson nor a record names all its exceptions.
      String why = Ascii.truncate(String.valueOf(e), LONGEST_PROBLEM, "…");
      return new Bad<>(
          key,
          version,
          new MalformedObject(kind.apiVersion(), kind.kind(), namespace, name, uid, why));
    }
  }

  private static JsonObject object(JsonElement element) {
    return element.isJsonObject() ? element.getAsJsonObject() : new JsonObject();
  }

  private static JsonObject object(JsonObject parent, String name) {
    return parent.has(name) ? object(parent.get(name)) : new JsonObject();
  }

  private static String text(JsonObject parent, String name) {
    JsonElement value = parent.get(name);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }
}
