package io.gpudra.crds.model;

/** The UID of a ResourceClaim, the key of all that is held for it. Ordered as text. */
public record ClaimUid(String value) implements Comparable<ClaimUid> {

  @Override
  public int compareTo(ClaimUid other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
