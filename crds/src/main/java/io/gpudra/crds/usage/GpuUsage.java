package io.gpudra.crds.usage;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The usage of one GPU: a function of the set of parts that claims hold, in any order. A part fits
 * when the usage with it is not overfull. Nothing else decides whether two claims may have the same
 * GPU.
 *
 * <p>Equal parts of one claim count once, so a part that is allocated, in flight and prepared is
 * one part.
 */
public final class GpuUsage {

  /** The kinds of use of a GPU. */
  public enum Kind {
    FREE,
    WHOLE,
    SLICED,
    SHARED,
    /** Claims hold more than the GPU has; nothing more fits. */
    OVERFULL
  }

  private final GpuShape gpu;
  private final ImmutableSet<PartHolding> holdings;
  private final PartNesting nesting;
  private final Optional<PartConflict> conflict;
  private final Kind kind;

  private GpuUsage(GpuShape gpu, ImmutableSet<PartHolding> holdings) {
    this.gpu = gpu;
    this.holdings = holdings;
    this.nesting = PartNesting.of(holdings);
    this.conflict = nesting.conflict(gpu);
    this.kind = conflict.isPresent() ? Kind.OVERFULL : kind(nesting);
  }

  /** The usage by these holdings, all of which name this GPU. */
  public static GpuUsage of(GpuShape gpu, Collection<PartHolding> holdings) {
    return new GpuUsage(gpu, holdings.stream().map(GpuUsage::counted).collect(toImmutableSet()));
  }

  /** The holding without the request that it serves, which makes no difference to the GPU. */
  private static PartHolding counted(PartHolding holding) {
    GrantedPart part = holding.part();
    return new PartHolding(
        holding.claim(),
        new GrantedPart(
            part.gpuUuid(),
            part.part(),
            part.sharing(),
            part.overcommitPercent(),
            part.existing(),
            part.inside(),
            Optional.empty()));
  }

  /** The usage with one more holding. */
  public GpuUsage with(PartHolding more) {
    return of(gpu, Stream.concat(holdings.stream(), Stream.of(more)).collect(toImmutableList()));
  }

  /** The same GPU without any holdings. */
  public GpuUsage emptied() {
    return holdings.isEmpty() ? this : of(gpu, ImmutableSet.of());
  }

  /** Whether this holding fits beside the others. */
  public boolean fits(PartHolding more) {
    return with(more).conflict.isEmpty();
  }

  /** The reason why the GPU is overfull, if it is. */
  public Optional<PartConflict> conflict() {
    return conflict;
  }

  /** The kind of use. */
  public Kind kind() {
    return kind;
  }

  private static Kind kind(PartNesting nesting) {
    return nesting.top().stream()
        .findFirst()
        .map(first -> kind(first.part().part()))
        .orElse(Kind.FREE);
  }

  private static Kind kind(Part part) {
    if (part instanceof Part.Whole) {
      return Kind.WHOLE;
    }
    return part instanceof Part.Share ? Kind.SHARED : Kind.SLICED;
  }

  /** The holdings that are carved out of none of the others. */
  public ImmutableList<PartHolding> outermost() {
    return nesting.top();
  }

  /** The holdings, each once. */
  public ImmutableSet<PartHolding> holdings() {
    return holdings;
  }

  /** The claims that no longer fit beside those before them in this order. */
  public static ImmutableSet<ClaimUid> surplus(GpuShape gpu, Collection<PartHolding> inOrder) {
    GpuUsage kept = of(gpu, ImmutableSet.of());
    ImmutableSet.Builder<ClaimUid> surplus = ImmutableSet.builder();
    for (PartHolding next : inOrder) {
      GpuUsage both = kept.with(next);
      if (both.conflict.isPresent()) {
        surplus.add(next.claim());
      } else {
        kept = both;
      }
    }
    return surplus.build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GpuUsage usage
        && gpu.equals(usage.gpu)
        && holdings.equals(usage.holdings);
  }

  @Override
  public int hashCode() {
    return Objects.hash(gpu, holdings);
  }

  @Override
  public String toString() {
    return "Usage[%s, %s]".formatted(kind(), holdings);
  }
}
