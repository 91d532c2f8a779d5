package io.gpudra.crds.model;

/**
 * Names a ResourceClaim; two objects that follow each other under one name have different {@link
 * ClaimUid}s.
 */
public record ClaimRef(String namespace, String name) {

  /**
   * The key under which a kubelet up to 1.30 remembers a prepared claim: the bare concatenation of
   * name and namespace, so {@code ab} in {@code c} meets {@code a} in {@code bc} (protocol.md 4.6,
   * N14).
   */
  public String kubeletKey() {
    return name + namespace;
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
