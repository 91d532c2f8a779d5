package io.gpudra.controller.client.watch;

import com.google.common.base.Ascii;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.util.Optional;

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

  /**
   * Reads the next object; whatever is wrong with it stays with it.
   *
   * @throws IOException when nothing that follows can be read, either
   */
  static <T, V> Incoming<V> read(WatchedKind<T, V> kind, ObjectReader in) throws IOException {
    return read(kind, in, new ObjectCache<>());
  }

  /** As the other one, but what is known is not made anew, so that a list of it costs nothing. */
  static <T, V> Incoming<V> read(WatchedKind<T, V> kind, ObjectReader in, ObjectCache<V> known)
      throws IOException {
    try {
      T object = in.read(kind.fields(), LenientJson.gson().getAdapter(kind.type()));
      return new Good<>(known(in, known).orElseGet(() -> kept(in, kind.keep().apply(object))));
    } catch (RuntimeException e) {
      // Anybody can store such an object; neither Gson nor a record names all its exceptions.
      return bad(kind, in, Ascii.truncate(String.valueOf(e), LONGEST_PROBLEM, "…"));
    }
  }

  private static <V> Optional<Kept<V>> known(ObjectReader in, ObjectCache<V> known) {
    return known
        .get(key(in))
        .filter(
            before ->
                before.uid().equals(in.identity(Identity.UID))
                    && before.resourceVersion().equals(in.identity(Identity.RESOURCE_VERSION)));
  }

  private static <V> Kept<V> kept(ObjectReader in, V value) {
    return new Kept<>(
        key(in), in.identity(Identity.UID), in.identity(Identity.RESOURCE_VERSION), value);
  }

  private static <T, V> Bad<V> bad(WatchedKind<T, V> kind, ObjectReader in, String why) {
    return new Bad<>(
        key(in),
        in.identity(Identity.RESOURCE_VERSION),
        new MalformedObject(
            kind.apiVersion(),
            kind.kind(),
            in.identity(Identity.NAMESPACE),
            in.identity(Identity.NAME),
            in.identity(Identity.UID),
            why));
  }

  private static String key(ObjectReader in) {
    return ObjectCache.key(in.identity(Identity.NAMESPACE), in.identity(Identity.NAME));
  }
}
