package io.gpudra.controller.client.watch;

/** The fields that identify an object. */
enum ObjectIdentity {
  NAMESPACE("metadata.namespace"),
  NAME("metadata.name"),
  UID("metadata.uid"),
  RESOURCE_VERSION("metadata.resourceVersion");

  private final String path;

  ObjectIdentity(String path) {
    this.path = path;
  }

  /** The path in the object. */
  String path() {
    return path;
  }
}
