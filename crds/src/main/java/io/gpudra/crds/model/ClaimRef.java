package io.gpudra.crds.model;

import java.util.Comparator;

/**
 * Names a ResourceClaim; two objects that follow each other under one name have different {@link
 * ClaimUid}s.
 */
public record ClaimRef(String namespace, String name) implements Comparable<ClaimRef> {
  private static final Comparator<ClaimRef> ORDER =
      Comparator.comparing(ClaimRef::namespace).thenComparing(ClaimRef::name);

  /**
   * The key under which a kubelet up to 1.30 remembers a prepared claim: the bare concatenation of
   * name and namespace, so {@code ab} in {@code c} meets {@code a} in {@code bc} (protocol.md 4.6,
   * N14).
   */
  public String kubeletKey() {
    return name + namespace;
  }

  /** So that a hash table with thousands of names of one hash stays fast. */
  @Override
  public int compareTo(ClaimRef other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
