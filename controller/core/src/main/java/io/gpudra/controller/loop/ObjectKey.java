package io.gpudra.controller.loop;

/** The key of an object to reconcile, without the event. Equal keys collapse in the queue. */
public record ObjectKey(String namespace, String name) {

  /** Reads {@code namespace/name}, or the name of a cluster-scoped object. */
  public static ObjectKey of(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? new ObjectKey("", text)
        : new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
