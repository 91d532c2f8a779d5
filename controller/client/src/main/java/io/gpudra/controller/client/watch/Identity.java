package io.gpudra.controller.client.watch;

/** What says which object it is. */
enum Identity {
  NAMESPACE("metadata.namespace"),
  NAME("metadata.name"),
  UID("metadata.uid"),
  RESOURCE_VERSION("metadata.resourceVersion");

  private final String path;

  Identity(String path) {
    this.path = path;
  }

  /** Where it stands in the object. */
  String path() {
    return path;
  }
}
