package io.gpudra.crds.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the administrator fixes for a class.
 *
 * @param deviceSelector devices of the class; one entry must match; every device when absent
 * @param cel condition over {@code device} that must hold beside the claim's own
 * @param shareable false: a claim of the class serves one pod only, whatever the claim says
 * @param placement used for claims that say nothing; pack when absent
 */
public record GpuClassParametersSpec(
    @Nullable List<DeviceSelector> deviceSelector,
    @Nullable String cel,
    @Nullable Boolean shareable,
    @Nullable Placement placement) {

  /**
   * One kind of device.
   *
   * @param type {@code gpu} or {@code *}
   * @param name whole product name, {@code *} stands for any characters, case is ignored
   */
  public record DeviceSelector(@Nullable String type, @Nullable String name) {}
}
