package io.gpudra.controller.loop;

/** The key of an object to reconcile, without the event. Equal keys collapse in the queue. */
public record ObjectKey(String namespace, String name) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
