package io.gpudra.controller.client.watch;

import com.google.common.base.Ascii;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.util.Optional;

/** One object as received: either readable, or malformed but with a name. */
sealed interface DecodedObject<V> extends KubernetesObject {
  /** The problem is remembered and may quote the object. */
  int MAX_PROBLEM = 512;

  /** Key in the cache. */
  String key();

  /** Empty when the object had none. */
  String resourceVersion();

  /** Required by client-java's reflector; created at each call, so that none is kept. */
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

  /** A readable object. */
  record Valid<V>(Kept<V> object) implements DecodedObject<V> {
    @Override
    public String key() {
      return object.key();
    }

    @Override
    public String resourceVersion() {
      return object.resourceVersion();
    }
  }

  /** A malformed object, which is skipped. */
  record Malformed<V>(String key, String resourceVersion, MalformedObject why)
      implements DecodedObject<V> {}

  /**
   * Reads the next object; a malformed object affects no other.
   *
   * @throws IOException when nothing after it can be read, either
   */
  static <T, V> DecodedObject<V> read(WatchedKind<T, V> kind, ObjectReader in) throws IOException {
    return read(kind, in, new ObjectCache<>());
  }

  /** Like the other method, but reuses known objects, so that a list of them costs nothing. */
  static <T, V> DecodedObject<V> read(WatchedKind<T, V> kind, ObjectReader in, ObjectCache<V> known)
      throws IOException {
    try {
      T object = in.read(kind.fields(), LenientJson.gson().getAdapter(kind.type()));
      return new Valid<>(known(in, known).orElseGet(() -> kept(in, kind.keep().apply(object))));
    } catch (RuntimeException e) {
      // Any client can store such an object; neither Gson nor a record names all its exceptions.
      return bad(kind, in, Ascii.truncate(String.valueOf(e), MAX_PROBLEM, "…"));
    }
  }

  private static <V> Optional<Kept<V>> known(ObjectReader in, ObjectCache<V> known) {
    return known
        .get(key(in))
        .filter(
            before ->
                before.uid().equals(in.identity(ObjectIdentity.UID))
                    && before
                        .resourceVersion()
                        .equals(in.identity(ObjectIdentity.RESOURCE_VERSION)));
  }

  private static <V> Kept<V> kept(ObjectReader in, V value) {
    return new Kept<>(
        key(in),
        in.identity(ObjectIdentity.UID),
        in.identity(ObjectIdentity.RESOURCE_VERSION),
        value);
  }

  private static <T, V> Malformed<V> bad(WatchedKind<T, V> kind, ObjectReader in, String why) {
    return new Malformed<>(
        key(in),
        in.identity(ObjectIdentity.RESOURCE_VERSION),
        new MalformedObject(
            kind.apiVersion(),
            kind.kind(),
            in.identity(ObjectIdentity.NAMESPACE),
            in.identity(ObjectIdentity.NAME),
            in.identity(ObjectIdentity.UID),
            why));
  }

  private static String key(ObjectReader in) {
    return ObjectCache.key(in.identity(ObjectIdentity.NAMESPACE), in.identity(ObjectIdentity.NAME));
  }
}
