package io.gpudra.controller.allocation.mig;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.placement.Worlds;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.usage.GpuShape;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How GPUs can be cut: each time a kind of which nothing is remembered yet. */
class MigLayoutsTest {
  private static final AtomicInteger KINDS = new AtomicInteger();

  private static final ImmutableList<MigProfile> A100 = GpuModels.A100.migProfiles();

  private static MigProfile profile(
      String name, int compute, int size, int most, Integer... starts) {
    return GpuModels.sized(1, GpuModels.profile(name, compute, size, most, starts));
  }

  /** With one more profile that nothing can be made of, by which the kind is a new one. */
  private static MigLayouts of(ImmutableList<MigProfile> profiles) {
    MigProfile unheardOf = profile("kind " + KINDS.incrementAndGet(), 1, 1, 1);
    return MigLayouts.of(
        GpuModels.cut(
            GpuModels.model("GPU", 1),
            ImmutableList.<MigProfile>builder().addAll(profiles).add(unheardOf).build()));
  }

  private static Slice slice(ImmutableList<MigProfile> profiles, String name, int start) {
    return Cut.slice(byName(profiles, name), start);
  }

  private static MigLayout a100(Slice... there) {
    return of(A100).layout(ImmutableList.copyOf(there));
  }

  @Test
  void theLargestProfilesComeFirst() {
    assertThat(a100().profiles())
        .extracting(MigProfile::name)
        .containsExactly(
            "7g.40gb", "4g.20gb", "3g.20gb", "2g.10gb", "1g.10gb", "1g.5gb", "1g.5gb+me");
    assertThat(of(A100.reverse()).layout(ImmutableList.of()).profiles())
        .isEqualTo(a100().profiles());
    ImmutableList<MigProfile> bySize =
        ImmutableList.of(profile("2g", 2, 2, 2, 0, 2), profile("3g", 2, 3, 1, 0));
    assertThat(of(bySize).layout(ImmutableList.of()).profiles()).isEqualTo(bySize.reverse());
  }

  @Test
  void countsHowManyOfEachProfileCouldBeMade() {
    assertThat(a100().room()).containsExactly(1, 1, 2, 3, 4, 7, 1);
    assertThat(a100(slice(A100, "3g.20gb", 4)).room()).containsExactly(0, 1, 1, 2, 2, 4, 1);
    assertThat(a100(slice(A100, "2g.10gb", 2)).room()).containsExactly(0, 0, 1, 2, 3, 5, 1);
  }

  @Test
  void aProfileThatNoGpuCanHaveIsLeftOut() {
    ImmutableList<MigProfile> odd =
        ImmutableList.of(
            profile("no memory", 1, 0, 1, 0),
            profile("nowhere", 1, 1, 1),
            profile("before the first slice", 1, 1, 1, -1, 0),
            profile("behind the last slice", 1, 4, 1, 0, 5),
            profile("to the last slice", 1, 4, 1, 4),
            profile("of all slices", 1, 8, 1, 0));

    assertThat(of(odd).layout(ImmutableList.of()).profiles())
        .extracting(MigProfile::name)
        .containsExactly("of all slices", "to the last slice");
  }

  @Test
  void whatIsLeftIsOfMemoryAndCompute() {
    MigLayout some = a100(slice(A100, "3g.20gb", 4), slice(A100, "1g.10gb", 0));
    assertThat(some.memory()).isEqualTo(8);
    assertThat(some.memoryLeft()).isEqualTo(2);
    assertThat(some.computeTaken()).isEqualTo(4);
    assertThat(some.computeLeft()).isEqualTo(2);

    MigLayout small =
        a100(IntStream.range(0, 7).mapToObj(i -> slice(A100, "1g.5gb", i)).toArray(Slice[]::new));
    assertThat(small.memoryLeft()).isEqualTo(1);
    assertThat(small.computeLeft()).isZero();
  }

  @Test
  void computeIsLeftAsFarAsThereIsMemoryForIt() {
    ImmutableList<MigProfile> profiles =
        ImmutableList.of(profile("all", 4, 8, 1, 0), profile("thin", 1, 4, 2, 0, 4));

    assertThat(of(profiles).layout(ImmutableList.of(slice(profiles, "thin", 4))).computeLeft())
        .isEqualTo(2);
  }

  @Test
  void whatKeepsMostRoomForLargeOnesIsMadeFirst() {
    assertThat(made(a100(), "1g.5gb", "1g.5gb", "3g.20gb"))
        .containsExactly("1g.5gb 6", "1g.5gb 4", "3g.20gb 0");
    assertThat(made(a100(slice(A100, "4g.20gb", 0)), "2g.10gb", "1g.5gb"))
        .containsExactly("2g.10gb 4", "1g.5gb 6");
  }

  private static ImmutableList<String> made(MigLayout layout, String... profiles) {
    ImmutableList<Cut> cuts =
        Stream.of(profiles)
            .map(name -> new Cut(byName(A100, name), -1))
            .collect(ImmutableList.toImmutableList());
    return layout.place(cuts, effort -> true).orElseThrow().slices().stream()
        .map(slice -> slice.profile() + " " + slice.start())
        .collect(ImmutableList.toImmutableList());
  }

  /** With how many ways to cut it, nobody's inventory may decide how long that takes. */
  @Test
  void aGpuOfMoreLayoutsThanAnybodyCouldVisitIsCounted() {
    MigLayout empty = of(EVIL).layout(ImmutableList.of());

    assertThat(empty.room()).hasSize(17).startsWith(1, 8).endsWith(8);
    assertThat(empty.most(ONE_SLICE_EACH.get(5))).isEqualTo(8);
  }

  /** Nine different ones, of which any eight fit in any order. */
  @Test
  void whatDoesNotFitIsRefutedOnceForEachSetOfPlaces() {
    AtomicInteger visited = new AtomicInteger();
    ImmutableList<Cut> nine =
        ONE_SLICE_EACH.stream()
            .limit(9)
            .map(profile -> new Cut(profile, -1))
            .collect(ImmutableList.toImmutableList());

    Optional<MigLayout.Placed> placed =
        of(EVIL)
            .layout(ImmutableList.of())
            .place(
                nine,
                layouts -> {
                  visited.addAndGet(layouts == 1 ? 1 : 0);
                  return true;
                });

    assertThat(placed).isEmpty();
    assertThat(visited.get()).isLessThan(8 * 256);
  }

  @Test
  void withoutEffortNothingIsFound() {
    AtomicInteger left = new AtomicInteger(1 + MigLayout.NEW);
    MigLayout empty = of(A100).layout(ImmutableList.of());
    ImmutableList<Cut> two =
        ImmutableList.of(new Cut(byName(A100, "1g.5gb"), -1), new Cut(byName(A100, "1g.5gb"), -1));

    assertThat(empty.place(two, layouts -> left.addAndGet(-layouts) >= 0)).isEmpty();
    assertThat(left.get()).isNegative();
    assertThat(empty.place(two, layouts -> true)).isPresent();
  }

  private static final ImmutableList<MigProfile> ONE_SLICE_EACH =
      IntStream.range(0, 16)
          .mapToObj(kind -> profile("1g." + (100 + kind) + "gb", 1, 1, 64, 0, 1, 2, 3, 4, 5, 6, 7))
          .collect(ImmutableList.toImmutableList());

  private static final ImmutableList<MigProfile> EVIL =
      ImmutableList.<MigProfile>builder()
          .add(profile("8g", 8, 8, 1, 0))
          .addAll(ONE_SLICE_EACH)
          .build();

  /** Whatever is there: as many as a walk through all ways to make more of them finds. */
  @Test
  void countsAsAWalkThroughAllLayoutsDoes() {
    for (ImmutableList<MigProfile> profiles :
        ImmutableList.of(A100, Worlds.A30.migProfiles(), withMediaEngines())) {
      GpuShape shape = GpuShape.of("", 0, profiles);
      MigLayouts migLayouts = of(profiles);
      Set<ImmutableSet<Slice>> seen = new HashSet<>();
      walk(shape, ImmutableList.of(), seen);

      assertThat(seen).hasSizeGreaterThan(50);
      for (ImmutableSet<Slice> there : seen) {
        MigLayout layout = migLayouts.layout(there);
        assertThat(layout.profiles())
            .allSatisfy(
                profile ->
                    assertThat(layout.most(profile))
                        .as("%s beside %s", profile.name(), there)
                        .isEqualTo(most(shape, profile, there.asList(), 0)));
      }
    }
  }

  private static ImmutableList<MigProfile> withMediaEngines() {
    return ImmutableList.of(
        profile("2g", 2, 2, 2, 0, 2),
        profile("1g+me", 1, 1, 4, 0, 1, 2, 3),
        profile("1g+me.all", 1, 1, 4, 0, 1, 2, 3),
        profile("1g-me", 1, 1, 3, 0, 1, 2, 3),
        profile("2g-me", 1, 2, 4, 0, 1, 2));
  }

  private static void walk(
      GpuShape shape, ImmutableList<Slice> there, Set<ImmutableSet<Slice>> seen) {
    if (seen.add(ImmutableSet.copyOf(there))) {
      more(shape, there).forEach(next -> walk(shape, next, seen));
    }
  }

  private static Stream<ImmutableList<Slice>> more(GpuShape shape, ImmutableList<Slice> there) {
    return shape.profiles().values().stream().flatMap(profile -> more(shape, profile, there, 0));
  }

  private static Stream<ImmutableList<Slice>> more(
      GpuShape shape, MigProfile profile, ImmutableList<Slice> there, int from) {
    return profile.starts().stream()
        .filter(start -> start >= from)
        .map(start -> Cut.slice(profile, start))
        .map(slice -> ImmutableList.<Slice>builder().addAll(there).add(slice).build())
        .filter(shape::holds);
  }

  private static int most(
      GpuShape shape, MigProfile profile, ImmutableList<Slice> there, int from) {
    return more(shape, profile, there, from)
        .mapToInt(next -> 1 + most(shape, profile, next, next.get(next.size() - 1).start() + 1))
        .max()
        .orElse(0);
  }

  private static MigProfile byName(ImmutableList<MigProfile> profiles, String name) {
    return profiles.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }
}
