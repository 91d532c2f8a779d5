package io.gpudra.crds.api.parameters;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.wire.WireRecord;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings that the administrator fixes for a class.
 *
 * @param deviceSelector devices of the class; one entry must match; every device when absent
 * @param cel condition over {@code device} that must hold in addition to the claim's own
 * @param forbiddenAttributes attributes of a device that conditions of claims must not read
 * @param namespaceSelector namespaces whose claims may use the class; all when absent
 * @param mode the mode of every claim; each claim chooses when absent
 * @param shareable when false, a claim of the class serves one pod only, even if it requests more
 * @param monitor claims see all GPUs of a node and allocate none
 * @param sharing default for claims that do not set it
 * @param placement default for claims that do not set it; pack when absent
 * @param topology how every pair of a claim's devices is connected
 * @param topologyPolicy Required when absent: no claim of the class may choose otherwise; with
 *     Preferred the topology is a default for claims
 * @param memoryOvercommitPercent percentage of a shared GPU's memory that may be allocated; 100
 *     when absent
 * @param enforceLimits when true, shares are allocated only where their limits are enforced
 */
@WireRecord
public record GpuClassParametersSpec(
    @Nullable List<@Nullable DeviceSelector> deviceSelector,
    @Nullable String cel,
    @Nullable List<String> forbiddenAttributes,
    @Nullable NamespaceSelector namespaceSelector,
    @Nullable String mode,
    @Nullable Boolean shareable,
    @Nullable Boolean monitor,
    @Nullable SharingSpec sharing,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        @Nullable PlacementPolicy placement,
    @Nullable String topology,
    @Nullable String topologyPolicy,
    @Nullable Integer memoryOvercommitPercent,
    @Nullable Boolean enforceLimits,
    @Nullable Limits limits) {

  /** Allowed values in {@code forbiddenAttributes}: attributes that identify a node or device. */
  public static final ImmutableList<String> FORBIDDABLE =
      ImmutableList.of("node", "name", "uuid", "pcieBusID");

  /** The limits and defaults of a class without parameters. */
  public static final GpuClassParametersSpec EMPTY = of(null, null, null, null);

  /** A class of whole GPUs. */
  public static GpuClassParametersSpec of(
      @Nullable List<@Nullable DeviceSelector> deviceSelector,
      @Nullable String cel,
      @Nullable Boolean shareable,
      @Nullable PlacementPolicy placement) {
    return new GpuClassParametersSpec(
        deviceSelector,
        cel,
        null,
        null,
        null,
        shareable,
        null,
        null,
        placement,
        null,
        null,
        null,
        null,
        null);
  }

  /**
   * Limits of the class.
   *
   * @param devicesPerClaim maximum number of devices of one claim
   * @param claimDuration such as {@code 24h}; a claim that is held longer gets an event
   */
  @WireRecord
  public record Limits(@Nullable Integer devicesPerClaim, @Nullable String claimDuration) {

    /** The maximum time that a claim may be held; the field has been checked. */
    public Optional<Duration> longestHold() {
      return Optional.ofNullable(claimDuration)
          .map(text -> Duration.parse("PT" + Ascii.toUpperCase(text)));
    }
  }

  /**
   * One kind of device.
   *
   * @param type {@code gpu}, {@code mig} or {@code *}
   * @param name whole product name, {@code *} stands for any characters, case is ignored
   */
  @WireRecord
  public record DeviceSelector(@Nullable String type, @Nullable String name) {

    /** Whole GPUs and shares of them. */
    public static final String GPU = "gpu";

    /** MIG devices. */
    public static final String MIG = "mig";

    /** Allowed values of {@code type}. */
    public static final ImmutableList<String> TYPES = ImmutableList.of(GPU, MIG, "*");

    private static final int MAX_NAME_CHARACTERS = 128;

    void check(ProblemList problems, String path) {
      problems.checkOneOf(path + ".type", type, TYPES);
      if (name == null) {
        problems.required(path + ".name");
      }
      problems.checkLength(path + ".name", name, MAX_NAME_CHARACTERS);
    }
  }

  /** The problems of the spec, field by field. */
  public ImmutableList<String> problems() {
    return checked().found();
  }

  /** The same problems, with their kind. */
  public ProblemList checked() {
    ProblemList problems = new ProblemList();
    ClassSpecRules.check(problems, this);
    return problems;
  }

  /**
   * Fields of a claim's spec that the class does not allow, without the claim's own problems.
   *
   * @param className of the ResourceClass, for the text
   */
  public ImmutableList<String> problemsOf(GpuClaimParametersSpec claim, String className) {
    ProblemList problems = new ProblemList();
    new ClaimInClass(problems, this, className).check(claim);
    return problems.found();
  }

  /**
   * Fields of a claim's spec that request more, or another kind, than the class offers.
   *
   * @param className of the ResourceClass, for the text
   */
  public ImmutableList<String> notGivenTo(GpuClaimParametersSpec claim, String className) {
    ProblemList problems = new ProblemList();
    new ClaimInClass(problems, this, className).checkLimits(claim);
    return problems.found();
  }

  /** Whether every device of the class is a MIG device. */
  public boolean handsOutMigOnly() {
    return handsOutOnly(DeviceSelector.MIG);
  }

  /** Whether no device of the class is a MIG device. */
  boolean handsOutGpusOnly() {
    return handsOutOnly(DeviceSelector.GPU);
  }

  private boolean handsOutOnly(String type) {
    return deviceSelector != null
        && deviceSelector.stream()
            .allMatch(selector -> selector != null && type.equals(selector.type()));
  }

  /** Attributes of a device that conditions of claims must not read. */
  public ImmutableSet<String> forbids() {
    return forbiddenAttributes == null
        ? ImmutableSet.of()
        : forbiddenAttributes.stream().filter(Objects::nonNull).collect(toImmutableSet());
  }

  /** Whether claims of the class may serve several pods. */
  public boolean shareableOrDefault() {
    return shareable == null || shareable;
  }

  /** Whether claims see all GPUs of a node and hold none. */
  public boolean monitors() {
    return Boolean.TRUE.equals(monitor);
  }

  /** Whether no claim of the class has its devices connected otherwise. */
  boolean requiresTopology() {
    return topology != null && !GpuClaimParametersSpec.PREFERRED.equals(topologyPolicy);
  }

  /** Whether no claim of the class has a share whose limits nothing enforces. */
  boolean enforcesLimits() {
    return Boolean.TRUE.equals(enforceLimits);
  }

  /** The percentage of a shared GPU's memory that may be allocated. */
  public int memoryOvercommitPercentOrDefault() {
    return memoryOvercommitPercent == null ? 100 : memoryOvercommitPercent;
  }

  /** The GPU that is preferred by default. */
  public PlacementPolicy placementOrDefault() {
    return placement == null ? PlacementPolicy.PACK : placement;
  }
}
