package io.gpudra.controller.client.watch;

/**
 * Receives changes in the order of the server, on the watch thread, after they are in the cache;
 * must return at once.
 */
public interface CacheListener<V> {

  /** An object appeared or changed. */
  void changed(ObjectCache.Kept<V> now);

  /** An object is gone; another of its name may follow. */
  void gone(ObjectCache.Kept<V> last);

  /** A complete list is in the cache: other objects did not exist at this resourceVersion. */
  default void listed(String resourceVersion) {}
}
