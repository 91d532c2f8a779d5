package io.gpudra.crds.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the administrator fixes for a class.
 *
 * @param deviceSelector devices of the class; one entry must match; every device when absent
 * @param cel condition over {@code device} that must hold beside the claim's own
 * @param namespaceSelector namespaces whose claims may use the class; all when absent
 * @param mode fixes the mode of every claim; the claim decides when absent
 * @param shareable false: a claim of the class serves one pod only, whatever the claim says
 * @param monitor claims see all GPUs of a node and take none
 * @param sharing used for claims that say nothing
 * @param placement used for claims that say nothing; pack when absent
 * @param memoryOvercommitPercent to how many percent the memory of a shared GPU may be promised;
 *     100 when absent
 */
@WireRecord
public record GpuClassParametersSpec(
    @Nullable List<DeviceSelector> deviceSelector,
    @Nullable String cel,
    @Nullable NamespaceSelector namespaceSelector,
    @Nullable String mode,
    @Nullable Boolean shareable,
    @Nullable Boolean monitor,
    @Nullable SharingSpec sharing,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        @Nullable Placement placement,
    @Nullable Integer memoryOvercommitPercent,
    @Nullable Limits limits) {

  /** What a class without parameters allows. */
  public static final GpuClassParametersSpec NOTHING_SAID = of(null, null, null, null);

  private static final int MOST_SELECTORS = 16;

  /** A class of whole GPUs. */
  public static GpuClassParametersSpec of(
      @Nullable List<DeviceSelector> deviceSelector,
      @Nullable String cel,
      @Nullable Boolean shareable,
      @Nullable Placement placement) {
    return new GpuClassParametersSpec(
        deviceSelector, cel, null, null, shareable, null, null, placement, null, null);
  }

  /**
   * Guard rails.
   *
   * @param devicesPerClaim most devices of one claim
   * @param claimDuration such as {@code 24h}; a claim that is held longer is told about
   */
  @WireRecord
  public record Limits(@Nullable Integer devicesPerClaim, @Nullable String claimDuration) {}

  /**
   * One kind of device.
   *
   * @param type {@code gpu}, {@code mig} or {@code *}
   * @param name whole product name, {@code *} stands for any characters, case is ignored
   */
  @WireRecord
  public record DeviceSelector(@Nullable String type, @Nullable String name) {

    /** MIG devices. */
    public static final String MIG = "mig";

    /** Allowed values of {@code type}. */
    public static final ImmutableList<String> TYPES = ImmutableList.of("gpu", MIG, "*");

    private static final int MOST_NAME_CHARACTERS = 128;

    private void check(Problems problems, String path) {
      problems.checkOneOf(path + ".type", type, TYPES);
      if (name == null) {
        problems.required(path + ".name");
      }
      problems.checkLength(path + ".name", name, MOST_NAME_CHARACTERS);
    }
  }

  /** What is wrong, field by field; empty when nothing is. */
  public ImmutableList<String> problems() {
    Problems problems = new Problems();
    problems.checkItems("spec.deviceSelector", deviceSelector, MOST_SELECTORS);
    for (int i = 0; deviceSelector != null && i < deviceSelector.size(); i++) {
      checkSelector(problems, "spec.deviceSelector[" + i + "]", deviceSelector.get(i));
    }
    problems.checkCel("spec.cel", cel);
    return problems.found();
  }

  /** A JSON null in the list arrives as null here. */
  private static void checkSelector(
      Problems problems, String path, @Nullable DeviceSelector selector) {
    if (selector == null) {
      problems.required(path);
    } else {
      selector.check(problems, path);
    }
  }

  /** Whether claims of the class may serve several pods. */
  public boolean shareableOrDefault() {
    return shareable == null || shareable;
  }

  /** Whether claims see all GPUs of a node and take none. */
  public boolean monitors() {
    return Boolean.TRUE.equals(monitor);
  }

  /** To how many percent the memory of a shared GPU may be promised. */
  public int memoryOvercommitPercentOrDefault() {
    return memoryOvercommitPercent == null ? 100 : memoryOvercommitPercent;
  }

  /** Which GPU is taken first for claims that do not say it. */
  public Placement placementOrDefault() {
    return placement == null ? Placement.PACK : placement;
  }
}
