package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;

/** Extended resources by which NVIDIA's device plugin hands out the GPUs that we do. */
public final class DevicePluginResource {
  /** How the names begin of whole GPUs, of replicas of them and of MIG devices. */
  private static final ImmutableList<String> NAMES =
      ImmutableList.of("nvidia.com/gpu", "nvidia.com/mig-");

  private DevicePluginResource() {}

  /**
   * Whether it is one.
   *
   * @param resource its name, as in a node's {@code status.allocatable}
   */
  public static boolean is(String resource) {
    return NAMES.stream().anyMatch(resource::startsWith);
  }
}
