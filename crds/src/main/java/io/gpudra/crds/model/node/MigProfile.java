package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableSortedSet;

/**
 * A kind of GPU instance that GPUs of one model can be cut into. All numbers come from the driver:
 * none can be computed from the name.
 *
 * @param name as the driver writes it, such as {@code 3g.20gb} or {@code 1g.10gb+me}
 * @param memoryBytes of one instance
 * @param compute compute slices
 * @param size memory slices
 * @param starts first memory slices at which an instance can be
 * @param most instances of it on one GPU
 */
public record MigProfile(
    String name,
    long memoryBytes,
    int compute,
    int size,
    ImmutableSortedSet<Integer> starts,
    int most) {

  /** By name only: profiles are told apart for each GPU that is judged. */
  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
