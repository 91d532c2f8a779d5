package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.DeviceSubRequest.PinnedLimits;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.SharingSpec.MpsConfig;
import io.gpudra.crds.api.parameters.SharingSpec.TimeSlicingConfig;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sub-requests of claims of a class (api.md 2.1, 2.2 and 4.1). Both specs have been checked.
 *
 * @param ofClass the parameters of the class
 * @param ofAll the class's own condition
 * @param conditions gives the condition with these terms
 */
record RequestBuilder(
    GpuClassParametersSpec ofClass,
    Optional<DeviceExpression> ofAll,
    Function<GpuCondition.Terms, GpuCondition> conditions) {

  /** The prefix that other drivers use, as the last of the allowed spellings. */
  private static final String QUALIFIED = "resource.kubernetes.io/";

  /**
   * The alternatives of a claim.
   *
   * @param expressions of the claim's entries, in their order
   */
  ImmutableList<RequestAlternative> alternatives(
      GpuClaimParametersSpec claim, ImmutableList<Optional<DeviceExpression>> expressions) {
    ImmutableList<GpuClaimParametersSpec.Entry> entries = claim.entries();
    ImmutableList<DeviceSubRequest> subRequests =
        IntStream.range(0, entries.size())
            .mapToObj(i -> subRequest(entries.get(i).request(), expressions.get(i)))
            .collect(toImmutableList());
    return claim.requests() == null
        ? subRequests.stream()
            .map(subRequest -> alternative(claim, ImmutableList.of(subRequest)))
            .collect(toImmutableList())
        : ImmutableList.of(alternative(claim, subRequests));
  }

  private RequestAlternative alternative(
      GpuClaimParametersSpec claim, ImmutableList<DeviceSubRequest> subRequests) {
    boolean one =
        subRequests.size() == 1 && subRequests.get(0).count() == 1 && !subRequests.get(0).all();
    return new RequestAlternative(subRequests, one ? DeviceConstraints.ANYHOW : together(claim));
  }

  private DeviceConstraints together(GpuClaimParametersSpec claim) {
    Optional<DeviceConstraints.Linked> topology =
        claim.topology() == null
            ? linked(ofClass.topology(), ofClass.topologyPolicy())
            : linked(claim.topology(), claim.topologyPolicy());
    return new DeviceConstraints(topology, same(claim.sameAttribute()));
  }

  private static Optional<DeviceConstraints.Linked> linked(
      @Nullable String topology, @Nullable String policy) {
    return Optional.ofNullable(topology)
        .map(
            by ->
                new DeviceConstraints.Linked(
                    by(by), !GpuClaimParametersSpec.PREFERRED.equals(policy)));
  }

  private static DeviceConstraints.Connection by(String topology) {
    return switch (topology) {
      case GpuClaimParametersSpec.NVLINK -> DeviceConstraints.Connection.NVLINK;
      case "pcie" -> DeviceConstraints.Connection.PCIE;
      default -> DeviceConstraints.Connection.NUMA;
    };
  }

  private static ImmutableSet<MatchAttribute> same(@Nullable List<String> attributes) {
    return attributes == null
        ? ImmutableSet.of()
        : Stream.of(MatchAttribute.values())
            .filter(
                one ->
                    attributes.contains(one.attribute())
                        || attributes.contains(QUALIFIED + one.attribute()))
            .collect(toImmutableSet());
  }

  private DeviceSubRequest subRequest(
      DeviceRequest request, Optional<DeviceExpression> expression) {
    DeviceKind kind = shape(request);
    SharingSpec sharing = sharing(request);
    return new DeviceSubRequest(
        Optional.ofNullable(request.name()),
        request.countOrDefault(),
        request.wantsAll() || kind instanceof DeviceKind.MonitorAccess,
        kind,
        conditions.apply(terms(request, kind, expression)),
        Sharings.of(kind).read(sharing),
        Sharings.of(kind).pinned(sharing));
  }

  private @Nullable SharingSpec sharing(DeviceRequest request) {
    return request.sharing() == null ? ofClass.sharing() : request.sharing();
  }

  private DeviceKind shape(DeviceRequest request) {
    if (ofClass.monitors()) {
      return new DeviceKind.MonitorAccess();
    }
    if (request.migProfile() != null) {
      return new DeviceKind.Mig(Optional.of(request.migProfile()));
    }
    if (isShared(request)) {
      return new DeviceKind.Share(
          request.memoryLimitBytes().orElseThrow(),
          request.millicores() == null ? 0 : request.millicores(),
          ofClass.memoryOvercommitPercentOrDefault());
    }
    return ofClass.handsOutMigOnly()
        ? new DeviceKind.Mig(Optional.empty())
        : new DeviceKind.Whole();
  }

  /** A memory limit implies sharing, regardless of the mode in class and claim. */
  private static boolean isShared(DeviceRequest request) {
    return request.memoryLimit() != null;
  }

  /** The problems that only appear with both specs together. */
  ImmutableList<String> problems(GpuClaimParametersSpec claim) {
    return claim.entries().stream()
        .filter(
            entry ->
                isShared(entry.request()) && Sharings.isSpacePartitioning(sharing(entry.request())))
        .map(
            entry ->
                entry.path()
                    + ".sharing.strategy: SpacePartitioning divides a whole GPU; it cannot be"
                    + " combined with mode: shared")
        .collect(toImmutableList());
  }

  private GpuCondition.Terms terms(
      DeviceRequest request, DeviceKind kind, Optional<DeviceExpression> expression) {
    return new GpuCondition.Terms(
        !(kind instanceof DeviceKind.MonitorAccess),
        Optional.ofNullable(request.migProfile()),
        products(kind),
        request.nominalMemoryBytes(),
        request.memory() == null ? "" : request.memory(),
        request.capabilities() == null
            ? ImmutableSet.of()
            : ImmutableSet.copyOf(request.capabilities()),
        Stream.of(ofAll, expression).flatMap(Optional::stream).collect(toImmutableList()));
  }

  private ImmutableList<GlobPattern> products(DeviceKind kind) {
    List<@Nullable DeviceSelector> selectors = ofClass.deviceSelector();
    return selectors == null
        ? ImmutableList.of()
        : selectors.stream()
            .filter(one -> one != null && isFor(kind, one.type()))
            .map(one -> new GlobPattern(one.name() == null ? "*" : one.name()))
            .collect(toImmutableList());
  }

  private static boolean isFor(DeviceKind kind, @Nullable String type) {
    String own = kind instanceof DeviceKind.Mig ? DeviceSelector.MIG : DeviceSelector.GPU;
    return kind instanceof DeviceKind.MonitorAccess || own.equals(type) || "*".equals(type);
  }

  /**
   * Reads {@code sharing}, which has been checked (api.md 2.5). The limits of a share apply to each
   * of its MPS clients.
   *
   * @param threads the maximum percentage of a client; 100 for no limit
   * @param bytes the maximum memory of a client; {@link Long#MAX_VALUE} for no limit
   */
  record Sharings(int threads, long bytes) {

    private static final int ALL_THREADS = 100;

    /** The sharing of devices of this kind. */
    static Sharings of(DeviceKind kind) {
      return kind instanceof DeviceKind.Share share
          ? new Sharings(threads(share.millicores()), share.memoryBytes())
          : new Sharings(ALL_THREADS, Long.MAX_VALUE);
    }

    /** MPS knows whole percents, of which a client needs one. */
    private static int threads(int millicores) {
      return millicores == 0 ? ALL_THREADS : Math.max(1, millicores / 10);
    }

    static boolean isSpacePartitioning(@Nullable SharingSpec spec) {
      return spec != null && spec.strategyOrDefault().equals(SharingSpec.SPACE_PARTITIONING);
    }

    SharingStrategy read(@Nullable SharingSpec spec) {
      if (spec == null) {
        return SharingStrategy.NONE;
      }
      return switch (spec.strategyOrDefault()) {
        case SharingSpec.MPS -> mps(Optional.ofNullable(spec.mpsConfig()));
        case SharingSpec.SPACE_PARTITIONING -> new SharingStrategy.SpacePartitioning(parts(spec));
        default -> new SharingStrategy.TimeSlicing(interval(spec.timeSlicingConfig()));
      };
    }

    private static int parts(SharingSpec spec) {
      return Optional.ofNullable(spec.spacePartitioningConfig())
          .map(SharingSpec.SpacePartitioningConfig::partitionCount)
          .orElse(1);
    }

    private static Interval interval(@Nullable TimeSlicingConfig config) {
      return Stream.of(Interval.values())
          .filter(one -> config != null && one.text().equals(config.intervalOrDefault()))
          .findFirst()
          .orElse(Interval.DEFAULT);
    }

    private SharingStrategy.Mps mps(Optional<MpsConfig> config) {
      int most =
          Math.min(
              threads, config.map(MpsConfig::defaultActiveThreadPercentage).orElse(ALL_THREADS));
      long limit =
          config.map(MpsConfig::defaultPinnedDeviceMemoryLimit).map(this::limit).orElse(bytes);
      return new SharingStrategy.Mps(
          most == ALL_THREADS ? OptionalInt.empty() : OptionalInt.of(most),
          limit == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(limit));
    }

    private long limit(String size) {
      return Math.min(bytes, MemorySize.parse(size).map(MemorySize::exactBytes).orElse(bytes));
    }

    PinnedLimits pinned(@Nullable SharingSpec spec) {
      return Optional.ofNullable(spec)
          .map(SharingSpec::mpsConfig)
          .map(MpsConfig::defaultPerDevicePinnedMemoryLimit)
          .map(
              sizes ->
                  new PinnedLimits(
                      limits(sizes, Sharings::isPosition, Integer::valueOf),
                      limits(sizes, key -> !isPosition(key), uuid -> uuid)))
          .orElse(PinnedLimits.NONE);
    }

    private static boolean isPosition(String key) {
      return Character.isDigit(key.charAt(0));
    }

    /** A JSON null in the map arrives as null here. */
    private <K> ImmutableMap<K, Long> limits(
        Map<String, String> sizes, Predicate<String> which, Function<String, K> key) {
      return sizes.entrySet().stream()
          .filter(size -> size.getValue() != null && which.test(size.getKey()))
          .collect(
              toImmutableMap(size -> key.apply(size.getKey()), size -> limit(size.getValue())));
    }
  }
}
