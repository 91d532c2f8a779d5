package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;

/**
 * Extended resources through which device plugins hand out the same GPUs as this driver, by their
 * default names.
 */
public final class DevicePluginResource {
  /** The prefixes of the names: NVIDIA's and HAMi's, Volcano's, Alibaba's. */
  private static final ImmutableList<String> NAMES =
      ImmutableList.of("nvidia.com/gpu", "nvidia.com/mig-", "volcano.sh/vgpu-", "aliyun.com/gpu-");

  private DevicePluginResource() {}

  /**
   * Whether the resource is one.
   *
   * @param resource its name, as in a node's {@code status.allocatable}
   */
  public static boolean is(String resource) {
    return NAMES.stream().anyMatch(resource::startsWith);
  }
}
