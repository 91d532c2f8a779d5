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
 * Which parts are carved out of which: a part counts under the one it is inside of while that is
 * there, else as one of its own.
 *
 * @param top those that are inside of none
 * @param inside the others, by what they are inside of
 */
record Nesting(ImmutableList<Holding> top, ImmutableListMultimap<Holding, Holding> inside) {

  static Nesting of(Collection<Holding> holdings) {
    ImmutableList.Builder<Holding> top = ImmutableList.builder();
    ImmutableListMultimap.Builder<Holding, Holding> inside = ImmutableListMultimap.builder();
    for (Holding holding : holdings) {
      parent(holding, holdings)
          .ifPresentOrElse(parent -> inside.put(parent, holding), () -> top.add(holding));
    }
    return new Nesting(top.build(), inside.build());
  }

  private static Optional<Holding> parent(Holding child, Collection<Holding> holdings) {
    if (child.part().inside().isEmpty()) {
      return Optional.empty();
    }
    return holdings.stream()
        .filter(other -> child.part().inside().equals(Optional.of(other.claim())))
        .filter(other -> contains(other.part().part(), child.part().part()))
        .findFirst();
  }

  /** A compute instance is carved out of a GPU instance, that out of a GPU. */
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
  Optional<Conflict> conflict(GpuShape gpu) {
    Optional<Conflict> conflict = beside(gpu);
    return conflict.isPresent() || inside.isEmpty() ? conflict : within(gpu);
  }

  private Optional<Conflict> beside(GpuShape gpu) {
    ImmutableList<Holding> slices = of(Slice.class);
    ImmutableList<Holding> shares = of(Part.Share.class);
    ImmutableList<Holding> wholes = of(Part.Whole.class);
    if (Stream.of(slices, shares, wholes).filter(some -> !some.isEmpty()).count() > 1) {
      return Optional.of(Conflict.KINDS_MEET);
    }
    if (!slices.isEmpty()) {
      return slices(gpu, slices);
    }
    if (!top.isEmpty() && !gpu.obstacles().isEmpty()) {
      return Optional.of(Conflict.OBSTRUCTED);
    }
    return wholes.stream().map(Holding::claim).distinct().count() > 1
        ? Optional.of(Conflict.WHOLE_TWICE)
        : Shares.conflict(gpu, shares);
  }

  private ImmutableList<Holding> of(Class<? extends Part> kind) {
    return top.stream()
        .filter(holding -> kind.isInstance(holding.part().part()))
        .collect(toImmutableList());
  }

  private static Optional<Conflict> slices(GpuShape gpu, ImmutableList<Holding> slices) {
    ImmutableSet<Slice> existing =
        slices.stream()
            .filter(holding -> holding.part().existing())
            .map(Nesting::slice)
            .collect(toImmutableSet());
    Stream<Slice> obstacles =
        gpu.obstacles().stream()
            .filter(obstacle -> obstacle.foreign() || !existing.contains(obstacle.slice()))
            .map(GpuShape.Obstacle::slice);
    return together(gpu, slices, obstacles);
  }

  private static Optional<Conflict> together(
      GpuShape gpu, Collection<Holding> slices, Stream<Slice> others) {
    ImmutableListMultimap<Object, Holding> instances =
        Multimaps.index(slices, Nesting::gpuInstance);
    Stream<Slice> made =
        instances.asMap().values().stream().map(some -> slice(some.iterator().next()));
    return Slices.conflict(
            gpu, Stream.concat(made, others).map(Slice::wholeInstance).collect(toImmutableList()))
        .or(() -> computeInstances(gpu, instances.asMap().values()));
  }

  /** Equal for holdings in one GPU instance, because they are carved out of the same claim's. */
  private static Object gpuInstance(Holding holding) {
    return holding.part().inside().isPresent() && slice(holding).instance().isPresent()
        ? ImmutableList.of(holding.part().inside().get(), slice(holding).wholeInstance())
        : holding;
  }

  private static Optional<Conflict> computeInstances(
      GpuShape gpu, Collection<Collection<Holding>> instances) {
    return instances.stream()
        .map(some -> some.stream().map(Nesting::slice).collect(toImmutableList()))
        .flatMap(some -> Slices.conflictInside(gpu, some).stream())
        .findFirst();
  }

  private Optional<Conflict> within(GpuShape gpu) {
    return inside.asMap().entrySet().stream()
        .flatMap(entry -> within(gpu, entry.getKey(), entry.getValue()).stream())
        .findFirst();
  }

  private static Optional<Conflict> within(
      GpuShape gpu, Holding parent, Collection<Holding> children) {
    return parent.part().part() instanceof Part.Whole
        ? together(gpu, children, Stream.of())
        : Slices.conflictInside(
            gpu, children.stream().map(Nesting::slice).collect(toImmutableList()));
  }

  private static Slice slice(Holding holding) {
    return (Slice) holding.part().part();
  }
}
