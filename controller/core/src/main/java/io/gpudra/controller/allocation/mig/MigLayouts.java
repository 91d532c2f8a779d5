package io.gpudra.controller.allocation.mig;

import static com.google.common.collect.ImmutableList.sortedCopyOf;
import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.usage.GpuShape;
import java.util.Collection;
import java.util.Comparator;

/** All layouts of GPUs of one kind, computed on request and remembered for a while. */
public final class MigLayouts {
  /** The memory slices of the largest GPU; no instance can be made beyond them. */
  private static final int MAX_SLICES = 8;

  private static final int MAX_KINDS = 32;

  /** The limit of places in all layouts; a place takes about 100 bytes. */
  private static final int MAX_PLACES = 500_000;

  private static final LoadingCache<ImmutableList<MigProfile>, MigLayouts> KINDS =
      CacheBuilder.newBuilder().maximumSize(MAX_KINDS).build(CacheLoader.from(MigLayouts::new));

  private static final Comparator<Slice> ORDER =
      Comparator.comparingInt(Slice::start).thenComparing(Slice::profile);

  /** By identity, since each GPU of each evaluated node is looked up. */
  private static final LoadingCache<GpuModel, MigLayouts> MODELS =
      CacheBuilder.newBuilder()
          .weakKeys()
          .build(CacheLoader.from(model -> KINDS.getUnchecked(model.migProfiles())));

  /** A forgotten layout is computed again. */
  private static final LoadingCache<Key, MigLayout> LAYOUTS =
      CacheBuilder.newBuilder()
          .maximumWeight(MAX_PLACES)
          .weigher((Key key, MigLayout layout) -> key.migLayouts.places)
          .build(CacheLoader.from(key -> new MigLayout(key.migLayouts, key.slices)));

  private record Key(MigLayouts migLayouts, ImmutableList<Slice> slices) {}

  private final GpuShape shape;
  private final ImmutableList<MigProfile> largestFirst;
  private final int compute;
  private final int memory;
  private final double density;
  private final int places;

  private MigLayouts(ImmutableList<MigProfile> profiles) {
    this.shape = GpuShape.of("", 0, profiles);
    this.largestFirst =
        profiles.stream()
            .filter(MigLayouts::isPossible)
            .sorted(
                Comparator.comparingInt(MigProfile::size)
                    .thenComparing(MigProfile::compute)
                    .reversed()
                    .thenComparing(MigProfile::name))
            .collect(toImmutableList());
    this.compute = largestFirst.stream().mapToInt(MigProfile::compute).max().orElse(0);
    this.memory =
        largestFirst.stream().mapToInt(one -> one.starts().last() + one.size()).max().orElse(0);
    this.density =
        largestFirst.stream()
            .mapToDouble(one -> (double) one.compute() / one.size())
            .max()
            .orElse(0);
    this.places = 1 + largestFirst.stream().mapToInt(one -> one.starts().size()).sum();
  }

  private static boolean isPossible(MigProfile profile) {
    return profile.size() > 0
        && !profile.starts().isEmpty()
        && profile.starts().stream()
            .allMatch(start -> start >= 0 && start + profile.size() <= MAX_SLICES);
  }

  /** The layouts of GPUs of this model. */
  public static MigLayouts of(GpuModel model) {
    return MODELS.getUnchecked(model);
  }

  /** The layout with these GPU instances, possible or not. */
  public MigLayout layout(Collection<Slice> slices) {
    return LAYOUTS.getUnchecked(new Key(this, sortedCopyOf(ORDER, slices)));
  }

  boolean holds(ImmutableList<Slice> slices) {
    return shape.holds(slices);
  }

  ImmutableList<MigProfile> largestFirst() {
    return largestFirst;
  }

  /** The position in {@link #largestFirst}. */
  int number(MigProfile profile) {
    return largestFirst.indexOf(profile);
  }

  /** The compute slices of a whole GPU. */
  int compute() {
    return compute;
  }

  /** The memory slices of a whole GPU. */
  int memory() {
    return memory;
  }

  /** The maximum of compute slices that a profile has for each of its memory slices. */
  double density() {
    return density;
  }
}
