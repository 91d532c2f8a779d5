package io.gpudra.controller.loop;

/** Where to look; the event never says what happened. Equal keys collapse in the queue. */
public record ObjectKey(String namespace, String name) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
