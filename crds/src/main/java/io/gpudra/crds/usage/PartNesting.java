package io.gpudra.crds.usage;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multimaps;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The nesting of parts: a part counts under the part that contains it while that exists, else by
 * itself.
 *
 * @param top the parts inside no other part
 * @param inside the other parts, by the part that contains them
 */
record PartNesting(
    ImmutableList<PartHolding> top, ImmutableListMultimap<PartHolding, PartHolding> inside) {

  static PartNesting of(Collection<PartHolding> holdings) {
    ImmutableList.Builder<PartHolding> top = ImmutableList.builder();
    ImmutableListMultimap.Builder<PartHolding, PartHolding> inside =
        ImmutableListMultimap.builder();
    for (PartHolding holding : holdings) {
      parent(holding, holdings)
          .ifPresentOrElse(parent -> inside.put(parent, holding), () -> top.add(holding));
    }
    return new PartNesting(top.build(), inside.build());
  }

  private static Optional<PartHolding> parent(PartHolding child, Collection<PartHolding> holdings) {
    if (child.part().inside().isEmpty()) {
      return Optional.empty();
    }
    return holdings.stream()
        .filter(other -> child.part().inside().equals(Optional.of(other.claim())))
        .filter(other -> contains(other.part().part(), child.part().part()))
        .findFirst();
  }

  /** A compute instance is carved out of a GPU instance, and a GPU instance out of a GPU. */
  private static boolean contains(Part outer, Part inner) {
    if (!(inner instanceof Part.Slice slice)) {
      return false;
    }
    return outer instanceof Part.Whole
        || (outer instanceof Part.Slice around
            && around.instance().isEmpty()
            && slice.instance().isPresent()
            && around.sameInstance(slice));
  }

  /** The reason why these parts cannot all be held at the same time. */
  Optional<PartConflict> conflict(GpuShape gpu) {
    Optional<PartConflict> conflict = beside(gpu);
    return conflict.isPresent() || inside.isEmpty() ? conflict : within(gpu);
  }

  private Optional<PartConflict> beside(GpuShape gpu) {
    ImmutableList<PartHolding> slices = of(Slice.class);
    ImmutableList<PartHolding> shares = of(Part.Share.class);
    ImmutableList<PartHolding> wholes = of(Part.Whole.class);
    if (Stream.of(slices, shares, wholes).filter(some -> !some.isEmpty()).count() > 1) {
      return Optional.of(PartConflict.KINDS_MEET);
    }
    if (!slices.isEmpty()) {
      return slices(gpu, slices);
    }
    if (!top.isEmpty() && !gpu.conflicts().isEmpty()) {
      return Optional.of(PartConflict.OBSTRUCTED);
    }
    return wholes.stream().map(PartHolding::claim).distinct().count() > 1
        ? Optional.of(PartConflict.WHOLE_TWICE)
        : SharePacking.conflict(gpu, shares);
  }

  private ImmutableList<PartHolding> of(Class<? extends Part> kind) {
    return top.stream()
        .filter(holding -> kind.isInstance(holding.part().part()))
        .collect(toImmutableList());
  }

  private static Optional<PartConflict> slices(GpuShape gpu, ImmutableList<PartHolding> slices) {
    ImmutableSet<Slice> existing =
        slices.stream()
            .filter(holding -> holding.part().existing())
            .map(PartNesting::slice)
            .collect(toImmutableSet());
    Stream<Slice> obstacles =
        gpu.conflicts().stream()
            .filter(obstacle -> obstacle.foreign() || !existing.contains(obstacle.slice()))
            .map(GpuShape.Obstacle::slice);
    return together(gpu, slices, obstacles);
  }

  private static Optional<PartConflict> together(
      GpuShape gpu, Collection<PartHolding> slices, Stream<Slice> others) {
    ImmutableListMultimap<Object, PartHolding> instances =
        Multimaps.index(slices, PartNesting::gpuInstance);
    Stream<Slice> made =
        instances.asMap().values().stream().map(some -> slice(some.iterator().next()));
    return MigPacking.conflict(
            gpu, Stream.concat(made, others).map(Slice::wholeInstance).collect(toImmutableList()))
        .or(() -> computeInstances(gpu, instances.asMap().values()));
  }

  /**
   * Equal for holdings in one GPU instance, because they are carved out of the same claim's part.
   */
  private static Object gpuInstance(PartHolding holding) {
    return holding.part().inside().isPresent() && slice(holding).instance().isPresent()
        ? ImmutableList.of(holding.part().inside().get(), slice(holding).wholeInstance())
        : holding;
  }

  private static Optional<PartConflict> computeInstances(
      GpuShape gpu, Collection<Collection<PartHolding>> instances) {
    return instances.stream()
        .map(some -> some.stream().map(PartNesting::slice).collect(toImmutableList()))
        .flatMap(some -> MigPacking.conflictInside(gpu, some).stream())
        .findFirst();
  }

  private Optional<PartConflict> within(GpuShape gpu) {
    return inside.asMap().entrySet().stream()
        .flatMap(entry -> within(gpu, entry.getKey(), entry.getValue()).stream())
        .findFirst();
  }

  private static Optional<PartConflict> within(
      GpuShape gpu, PartHolding parent, Collection<PartHolding> children) {
    return parent.part().part() instanceof Part.Whole
        ? together(gpu, children, Stream.of())
        : MigPacking.conflictInside(
            gpu, children.stream().map(PartNesting::slice).collect(toImmutableList()));
  }

  private static Slice slice(PartHolding holding) {
    return (Slice) holding.part().part();
  }
}
