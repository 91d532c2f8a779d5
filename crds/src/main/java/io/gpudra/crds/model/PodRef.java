package io.gpudra.crds.model;

/** One pod, not its successor of the same name. */
public record PodRef(String namespace, String name, String uid) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
