package io.gpudra.crds.usage;

import static io.gpudra.crds.usage.A100.GPU;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.usage.GpuUsage.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What holds of all parts that claims may come to hold of one GPU. */
class GpuUsagePropertiesTest {
  private static final ImmutableList<String> CLAIMS = ImmutableList.of("a", "b", "c", "d", "e");

  @Provide
  Arbitrary<PartHolding> holding() {
    Arbitrary<String> claim = Arbitraries.of(CLAIMS);
    Arbitrary<Slice> slice =
        Arbitraries.of(A100.profiles())
            .flatMap(
                profile ->
                    Arbitraries.of(profile.starts())
                        .map(start -> A100.gpuInstance(profile.name(), start, Optional.empty())));
    Arbitrary<Integer> from = Arbitraries.integers().between(0, 2);
    return Arbitraries.frequencyOf(
        Tuple.of(1, claim.map(A100::whole)),
        Tuple.of(
            6,
            Combinators.combine(claim, slice).as((c, s) -> A100.slice(c, s.profile(), s.start()))),
        Tuple.of(
            3,
            Combinators.combine(claim, claim, slice)
                .as((c, p, s) -> A100.sliceInside(c, p, s.profile(), s.start()))),
        Tuple.of(
            2,
            Combinators.combine(claim, claim, slice, from)
                .as(
                    (c, p, s, i) ->
                        A100.computeInside(c, p, s.profile(), s.start(), new Instance(i, 1)))),
        Tuple.of(
            2,
            Combinators.combine(claim, Arbitraries.longs().between(1, 41), from)
                .as((c, gib, half) -> A100.share(c, gib, half * 500))));
  }

  @Provide
  Arbitrary<List<PartHolding>> holdings() {
    return holding().list().ofMaxSize(7);
  }

  @Property
  void theOrderMakesNoDifference(
      @ForAll("holdings") List<PartHolding> holdings, @ForAll Random random) {
    List<PartHolding> other = new ArrayList<>(holdings);
    Collections.shuffle(other, random);

    assertThat(GpuUsage.of(GPU, other)).isEqualTo(GpuUsage.of(GPU, holdings));
    assertThat(GpuUsage.of(GPU, other).kind()).isEqualTo(GpuUsage.of(GPU, holdings).kind());
  }

  @Property
  void oneAfterTheOtherIsAllAtOnce(@ForAll("holdings") List<PartHolding> holdings) {
    GpuUsage usage = GpuUsage.of(GPU, ImmutableSet.of());
    for (PartHolding holding : holdings) {
      usage = usage.with(holding);
    }

    assertThat(usage).isEqualTo(GpuUsage.of(GPU, holdings));
  }

  @Property
  void whatIsNotOverfullOverlapsNowhere(@ForAll("holdings") List<PartHolding> holdings) {
    if (GpuUsage.of(GPU, holdings).kind() == Kind.OVERFULL) {
      return;
    }
    List<PartHolding> once = holdings.stream().distinct().toList();
    IntStream.range(0, once.size())
        .forEach(
            i ->
                once.subList(0, i)
                    .forEach(other -> assertThat(mayBeTogether(once.get(i), other)).isTrue()));
    assertThat(compute(once)).isLessThanOrEqualTo(7);
  }

  /** By memory slices and compute slices alone. */
  private static boolean mayBeTogether(PartHolding one, PartHolding other) {
    Part left = one.part().part();
    Part right = other.part().part();
    if (left instanceof Part.Share && right instanceof Part.Share) {
      return true;
    }
    boolean nested =
        one.part().inside().equals(Optional.of(other.claim()))
            || other.part().inside().equals(Optional.of(one.claim()));
    if (left instanceof Part.Whole || right instanceof Part.Whole) {
      return nested || siblingsOfAWhole(one, other) || one.claim().equals(other.claim());
    }
    if (!(left instanceof Slice a) || !(right instanceof Slice b)) {
      return false;
    }
    return nested
        || !a.overlaps(b)
        || (a.sameInstance(b)
            && a.instance().isPresent()
            && b.instance().isPresent()
            && !a.instance().get().overlaps(b.instance().get()));
  }

  private static boolean siblingsOfAWhole(PartHolding one, PartHolding other) {
    return one.part().part() instanceof Part.Whole
        ? other.part().inside().isPresent()
        : one.part().inside().isPresent();
  }

  private static int compute(List<PartHolding> holdings) {
    return holdings.stream()
        .map(holding -> holding.part().part())
        .filter(Slice.class::isInstance)
        .map(part -> ((Slice) part).wholeInstance())
        .distinct()
        .mapToInt(Slice::compute)
        .sum();
  }

  @Property
  void lessIsNeverOverfullWhereMoreWasNot(
      @ForAll("holdings") List<PartHolding> holdings, @ForAll("holding") PartHolding more) {
    boolean nested = more.part().inside().isPresent();
    boolean parent =
        holdings.stream().anyMatch(h -> h.part().inside().equals(Optional.of(more.claim())));
    if (!nested && !parent && GpuUsage.of(GPU, holdings).with(more).conflict().isEmpty()) {
      assertThat(GpuUsage.of(GPU, holdings).conflict()).isEmpty();
    }
  }
}
