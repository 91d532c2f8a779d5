package io.gpudra.controller.loop;

import java.util.Comparator;

/** The key of an object to reconcile, without the event. Equal keys collapse in the queue. */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

  /** Reads {@code namespace/name}, or the name of a cluster-scoped object. */
  public static ObjectKey of(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? new ObjectKey("", text)
        : new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
  }

  /** So that a hash table with thousands of names of one hash stays fast. */
  @Override
  public int compareTo(ObjectKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
