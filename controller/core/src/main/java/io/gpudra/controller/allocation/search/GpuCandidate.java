package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.mig.MigLayout;
import io.gpudra.controller.allocation.mig.MigLayouts;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One GPU of a node before any choice.
 *
 * @param index among the node's devices
 * @param layout of existing and granted MIG devices
 * @param existing unused MIG devices that may be granted as they are
 * @param obstructed whether it has MIG devices that the driver did not make
 * @param parents held parts out of which claims of the search problem are carved
 * @param kind the number of its kind: the same for GPUs of the node that are equivalent, if they
 *     suit the same demands
 */
public record GpuCandidate(
    int index,
    Gpu gpu,
    GpuUsage usage,
    MigLayout layout,
    ImmutableList<MigState.Device> existing,
    boolean obstructed,
    ImmutableList<PartHolding> parents,
    int kind) {
  private static final int MAX_LEDGERS = 2_000;

  /** By identity, since a ledger serves many searches. */
  private static final LoadingCache<NodeLedger, ImmutableList<GpuCandidate>> CANDIDATES =
      CacheBuilder.newBuilder()
          .weakKeys()
          .maximumSize(MAX_LEDGERS)
          .build(CacheLoader.from(ledger -> all(ledger, ImmutableList.of())));

  /** The GPUs for claims that are not carved out of another claim. */
  public static ImmutableList<GpuCandidate> of(NodeLedger ledger) {
    return CANDIDATES.getUnchecked(ledger);
  }

  /** The GPUs for these claims. */
  static ImmutableList<GpuCandidate> of(NodeLedger ledger, List<ClaimRequest> claims) {
    ImmutableList<PartHolding> parents =
        claims.stream()
            .flatMap(claim -> claim.inside().stream())
            .map(Parent::uid)
            .distinct()
            .flatMap(parent -> held(ledger, parent))
            .collect(toImmutableList());
    return parents.isEmpty() ? of(ledger) : all(ledger, parents);
  }

  private static ImmutableList<GpuCandidate> all(NodeLedger ledger, List<PartHolding> parents) {
    List<Gpu> gpus = ledger.inventory().gpus();
    return numbered(
        IntStream.range(0, Math.min(Long.SIZE, gpus.size()))
            .mapToObj(i -> of(i, gpus.get(i), ledger.usages().get(i), parents)));
  }

  /**
   * GPUs with the numbers of their kinds: to compare them in each search may take 128 parts for
   * each GPU.
   */
  private static ImmutableList<GpuCandidate> numbered(Stream<GpuCandidate> candidates) {
    Map<Kind, Integer> kinds = new HashMap<>();
    return candidates
        .map(one -> one.with(kinds.computeIfAbsent(Kind.of(one), unused -> kinds.size())))
        .collect(toImmutableList());
  }

  private GpuCandidate with(int number) {
    return new GpuCandidate(index, gpu, usage, layout, existing, obstructed, parents, number);
  }

  /** The parts that may be divided; a MIG device only if it was granted for that purpose. */
  private static Stream<PartHolding> held(NodeLedger ledger, ClaimUid parent) {
    return Stream.ofNullable(ledger.holds().get(parent))
        .flatMap(Hold::devices)
        .filter(device -> device.parent() || device.part().part() instanceof Part.Whole)
        .distinct()
        .map(device -> new PartHolding(parent, device.part()));
  }

  /** The GPUs with no holders other than the parents in the search problem. */
  static ImmutableList<GpuCandidate> emptied(ImmutableList<GpuCandidate> all) {
    return all.stream().allMatch(one -> one.usage.holdings().isEmpty())
        ? all
        : numbered(all.stream().map(GpuCandidate::emptied));
  }

  private GpuCandidate emptied() {
    if (usage.holdings().isEmpty()) {
      return this;
    }
    GpuUsage left = usage.emptied();
    for (PartHolding parent : parents) {
      left = left.with(parent);
    }
    return of(index, gpu, left, parents);
  }

  private static GpuCandidate of(int index, Gpu gpu, GpuUsage usage, List<PartHolding> parents) {
    ImmutableList<MigState.Device> others =
        gpu.mig().devices().stream()
            .filter(device -> device.claim().isEmpty())
            .collect(toImmutableList());
    ImmutableSet<Slice> taken =
        usage.holdings().stream()
            .map(PartHolding::part)
            .map(GrantedPart::part)
            .flatMap(part -> part instanceof Slice slice ? Stream.of(slice) : Stream.empty())
            .map(Slice::wholeInstance)
            .collect(toImmutableSet());
    ImmutableSet<Slice> there =
        Stream.concat(taken.stream(), others.stream().map(MigState.Device::slice))
            .collect(toImmutableSet());
    MigLayout layout = MigLayouts.of(gpu.model()).layout(there);
    boolean obstructed = !others.isEmpty();
    ImmutableList<PartHolding> here =
        parents.stream()
            .filter(parent -> parent.part().gpuUuid().equals(gpu.uuid()))
            .collect(toImmutableList());
    return new GpuCandidate(
        index,
        gpu,
        usage,
        layout,
        others.stream()
            .filter(device -> !device.foreign() && !taken.contains(device.slice()))
            .collect(toImmutableList()),
        obstructed,
        here,
        /* kind= */ 0);
  }

  /** The existing MIG devices that could serve such a sub-request, in use or not, as bits. */
  long existing(DeviceKind.Mig mig) {
    ImmutableList<MigState.Device> all = gpu.mig().devices();
    long some = 0;
    for (int i = 0; i < Math.min(Long.SIZE, all.size()); i++) {
      some |= all.get(i).isStatic() && mig.isOf(all.get(i).slice().profile()) ? 1L << i : 0;
    }
    return some;
  }

  /** The parts that this parent holds. */
  public Stream<Part> heldBy(ClaimUid parent) {
    return parents.stream()
        .filter(holding -> holding.claim().equals(parent))
        .map(holding -> holding.part().part());
  }

  /** The memory that no share holds. */
  public static long memoryLeft(Gpu gpu, GpuUsage usage) {
    return gpu.memoryBytes()
        - usage.holdings().stream()
            .map(holding -> holding.part().part())
            .mapToLong(part -> part instanceof Part.Share share ? share.memoryBytes() : 0)
            .sum();
  }

  /** The memory that can still be allocated: all, none, or the rest beside shares or slices. */
  public long memoryLeft() {
    return switch (usage.kind()) {
      case FREE -> gpu.memoryBytes();
      case SHARED -> memoryLeft(gpu, usage);
      case SLICED -> gpu.memoryBytes() / Math.max(1, layout.memory()) * layout.memoryLeft();
      case WHOLE, OVERFULL -> 0;
    };
  }

  /** The number of the largest MIG devices that could be made of it. */
  public int largest() {
    return acceptsCuts() && layout.room().length > 0 ? layout.room()[0] : 0;
  }

  public boolean acceptsWhole() {
    return isFree() && !obstructed;
  }

  public boolean acceptsShares() {
    return acceptsWhole() || usage.kind() == GpuUsage.Kind.SHARED;
  }

  /** Whether MIG devices can be allocated; new ones only if {@link #acceptsCuts}. */
  public boolean acceptsSlices() {
    return isFree() || usage.kind() == GpuUsage.Kind.SLICED;
  }

  /** Whether MIG devices can be made. A GPU with granted MIG devices will have the mode on. */
  public boolean acceptsCuts() {
    return acceptsSlices()
        && (gpu.mig().mode() == MigMode.ENABLED
            || (gpu.mig().mode() == MigMode.DISABLED && gpu.mig().switchable() && !obstructed));
  }

  private boolean isFree() {
    return usage.kind() == GpuUsage.Kind.FREE;
  }

  /** The properties of a GPU that can affect a search. */
  private record Kind(
      long nominalMemoryBytes,
      long memoryBytes,
      GpuUsage.Kind occupied,
      MigMode mode,
      boolean switchable,
      boolean obstructed,
      MigLayout layout,
      ImmutableMultiset<Held> held,
      ImmutableSet<Divided> parents) {

    record Divided(ClaimUid claim, Part part, ImmutableSet<DeviceTaint> taints) {}

    record Held(Part part, SharingStrategy setting, int overcommitPercent) {}

    static Kind of(GpuCandidate one) {
      return new Kind(
          one.gpu.model().nominalMemoryBytes(),
          one.gpu.memoryBytes(),
          one.usage.kind(),
          one.gpu.mig().mode(),
          one.gpu.mig().switchable(),
          one.obstructed,
          one.layout,
          one.usage.holdings().stream()
              .map(holding -> held(holding.part()))
              .collect(toImmutableMultiset()),
          one.parents.stream().map(holding -> divided(one.gpu, holding)).collect(toImmutableSet()));
    }

    private static Divided divided(Gpu gpu, PartHolding holding) {
      Part part = holding.part().part();
      return new Divided(
          holding.claim(),
          part,
          part instanceof Part.Slice slice ? gpu.mig().taintsIn(slice) : ImmutableSet.of());
    }

    private static Held held(GrantedPart part) {
      return new Held(part.part(), part.sharing().setting(), part.overcommitPercent());
    }
  }
}
