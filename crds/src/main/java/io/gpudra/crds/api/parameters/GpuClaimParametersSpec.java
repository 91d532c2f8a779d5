package io.gpudra.crds.api.parameters;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.wire.WireRecord;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The request of a claim. An empty spec requests one whole GPU. The first fields are those of
 * {@link DeviceRequest}.
 *
 * @param memoryPerGpu alternative name of {@code memory}
 * @param requests for several kinds of device, all on one node
 * @param alternatives for the claim; the first one that fits on a node is used
 * @param topology how every pair of the claim's devices must be connected
 * @param topologyPolicy whether the claim waits for devices with that topology; Required when
 *     absent
 * @param sameAttribute attributes that must be equal on all devices of the claim
 * @param insideClaim entry of the pod's {@code resourceClaims} on whose GPU the MIG devices are
 *     created
 * @param placement which GPU is preferred; the class decides when absent
 * @param tolerations device taints that the claim tolerates
 * @param shareable whether several pods may use the claim; true when absent
 */
@WireRecord
public record GpuClaimParametersSpec(
    @Nullable Integer count,
    @Nullable Boolean all,
    @Nullable String memory,
    @Nullable String memoryPerGpu,
    @Nullable List<String> capabilities,
    @Nullable String migProfile,
    @Nullable String cel,
    @Nullable String mode,
    @Nullable String memoryLimit,
    @Nullable Integer millicores,
    @Nullable SharingSpec sharing,
    @Nullable List<@Nullable DeviceRequest> requests,
    @Nullable List<@Nullable DeviceRequest> alternatives,
    @Nullable String topology,
    @Nullable String topologyPolicy,
    @Nullable List<String> sameAttribute,
    @Nullable String insideClaim,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        @Nullable PlacementPolicy placement,
    @Nullable List<@Nullable TolerationSpec> tolerations,
    @Nullable Boolean shareable) {

  /** The request of a claim without parameters. */
  public static final GpuClaimParametersSpec EMPTY = of(null, null, null, null, null);

  /** The maximum number of GPUs of one claim. */
  public static final int MAX_COUNT = 64;

  /** Every pair has a link of its own, or a switch in between. */
  public static final String NVLINK = "nvlink";

  /** Allowed values of {@code topology}. */
  public static final ImmutableList<String> TOPOLOGIES = ImmutableList.of(NVLINK, "pcie", "numa");

  /** A missing topology is never a reason to wait. */
  public static final String PREFERRED = "Preferred";

  /** Allowed values of {@code topologyPolicy}. */
  public static final ImmutableList<String> TOPOLOGY_POLICIES =
      ImmutableList.of("Required", PREFERRED);

  /** Allowed values in {@code sameAttribute}; the last one is another spelling of pcieRoot. */
  public static final ImmutableList<String> ATTRIBUTES =
      ImmutableList.of(
          "productName",
          "architecture",
          "brand",
          "cudaComputeCapability",
          "memory",
          "migProfile",
          "numaNode",
          "parentUUID",
          "pcieRoot",
          "resource.kubernetes.io/pcieRoot");

  /** Whole GPUs of one kind. */
  public static GpuClaimParametersSpec of(
      @Nullable Integer count,
      @Nullable String memory,
      @Nullable String cel,
      @Nullable Boolean shareable,
      @Nullable PlacementPolicy placement) {
    return new GpuClaimParametersSpec(
        count, null, memory, null, null, null, cel, null, null, null, null, null, null, null, null,
        null, null, placement, null, shareable);
  }

  /** Whole GPUs, or MIG devices of a profile. */
  public static GpuClaimParametersSpec of(int count, @Nullable String migProfile) {
    return new GpuClaimParametersSpec(
        count,
        null,
        null,
        null,
        null,
        migProfile,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /**
   * Devices of one kind that the claim requests, and their place in the object.
   *
   * @param path such as {@code spec} or {@code spec.requests[1]}
   */
  public record Entry(String path, DeviceRequest request) {}

  /** The spec's own fields as a request; without meaning beside requests or alternatives. */
  public DeviceRequest body() {
    return body(memory == null ? memoryPerGpu : memory);
  }

  /** The own fields, without the other spelling of memory. */
  DeviceRequest own() {
    return body(memory);
  }

  private DeviceRequest body(@Nullable String leastMemory) {
    return new DeviceRequest(
        null,
        count,
        all,
        leastMemory,
        capabilities,
        migProfile,
        cel,
        mode,
        memoryLimit,
        millicores,
        sharing);
  }

  /** Whether the request is in {@code requests} or {@code alternatives}. */
  public boolean hasEntries() {
    return requests != null || alternatives != null;
  }

  /**
   * The requests, which are all served; or the alternatives, one of which is served; or else the
   * spec's own fields.
   */
  public ImmutableList<Entry> entries() {
    if (requests != null) {
      return entries("spec.requests", requests);
    }
    return alternatives == null
        ? ImmutableList.of(new Entry("spec", body()))
        : entries("spec.alternatives", alternatives);
  }

  /** A JSON null in the list arrives as null here. */
  private static ImmutableList<Entry> entries(String path, List<@Nullable DeviceRequest> list) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      DeviceRequest request = list.get(i);
      if (request != null) {
        entries.add(new Entry("%s[%d]".formatted(path, i), request));
      }
    }
    return ImmutableList.copyOf(entries);
  }

  /**
   * The number of devices of all requests, or of the largest alternative; "all" is counted as one.
   */
  long devicesWanted() {
    LongStream counts = entries().stream().mapToLong(entry -> entry.request().countOrDefault());
    return requests == null ? counts.max().orElse(0) : counts.sum();
  }

  /** The names of the fields that are set. */
  ImmutableSet<String> presentFields() {
    return Stream.of(getClass().getRecordComponents())
        .filter(field -> value(field) != null)
        .map(RecordComponent::getName)
        .collect(toImmutableSet());
  }

  private @Nullable Object value(RecordComponent field) {
    try {
      return field.getAccessor().invoke(this);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The problems of the spec, field by field. */
  public ImmutableList<String> problems() {
    return checked().found();
  }

  /** The same problems, with their kind. */
  public ProblemList checked() {
    ProblemList problems = new ProblemList();
    ClaimSpecRules.check(problems, this);
    return problems;
  }

  /** Whether the claim allows several pods. */
  public boolean shareableOrDefault() {
    return shareable == null || shareable;
  }
}
