package io.gpudra.crds.model;

/** One pod, not a later pod of the same name. */
public record PodRef(String namespace, String name, String uid) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
