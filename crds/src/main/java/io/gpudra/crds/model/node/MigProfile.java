package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableSortedSet;

/**
 * A kind of GPU instance on GPUs of one model. All numbers come from the driver: none can be
 * computed from the name.
 *
 * @param name as the driver writes it, such as {@code 3g.20gb} or {@code 1g.10gb+me}
 * @param memoryBytes of one instance
 * @param compute number of compute slices
 * @param size number of memory slices
 * @param starts first memory slices at which an instance can be
 * @param most maximum number of instances on one GPU
 */
public record MigProfile(
    String name,
    long memoryBytes,
    int compute,
    int size,
    ImmutableSortedSet<Integer> starts,
    int most) {

  /** Hashes the name only: profiles are compared for each GPU that is evaluated. */
  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
