package io.gpudra.crds.usage;

import static io.gpudra.crds.usage.A100.GPU;
import static io.gpudra.crds.usage.A100.claim;
import static io.gpudra.crds.usage.A100.computeInside;
import static io.gpudra.crds.usage.A100.existing;
import static io.gpudra.crds.usage.A100.gpuInstance;
import static io.gpudra.crds.usage.A100.share;
import static io.gpudra.crds.usage.A100.slice;
import static io.gpudra.crds.usage.A100.sliceInside;
import static io.gpudra.crds.usage.A100.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.SharingStrategy.TimeSlicing;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.usage.GpuShape.Obstacle;
import io.gpudra.crds.usage.GpuUsage.Kind;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuUsageTest {
  private static final SharingStrategy LONG = new TimeSlicing(Interval.LONG);
  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.empty());
  private static final SharingStrategy OTHER_MPS =
      new SharingStrategy.Mps(OptionalInt.of(20), OptionalLong.empty());

  static Stream<Arguments> whatFits() {
    return Stream.of(slicesThatFit(), sharesThatFit(), nestedThatFit()).flatMap(some -> some);
  }

  private static Stream<Arguments> slicesThatFit() {
    return Stream.of(
        fits("nothing", Kind.FREE),
        fits("a whole GPU", Kind.WHOLE, whole("a")),
        fits("the same whole GPU seen twice", Kind.WHOLE, whole("a"), whole("a")),
        fits("all sevenths", Kind.SLICED, sevenths()),
        fits("halves", Kind.SLICED, slice("a", "3g.20gb", 0), slice("b", "3g.20gb", 4)),
        fits("3 and 4", Kind.SLICED, slice("a", "4g.20gb", 0), slice("b", "3g.20gb", 4)),
        fits("one with media", Kind.SLICED, slice("a", "1g.5gb+me", 0), slice("b", "1g.5gb", 1)));
  }

  private static Stream<Arguments> sharesThatFit() {
    return Stream.of(
        fits("shares up to the last byte", Kind.SHARED, share("a", 30, 0), share("b", 10, 0)),
        fits("all millicores", Kind.SHARED, share("a", 1, 600), share("b", 1, 400)),
        fits(
            "more memory than there is, where both classes say so",
            Kind.SHARED,
            share("a", 40, 0, 150, SharingStrategy.NONE),
            share("b", 20, 0, 200, SharingStrategy.NONE)),
        fits(
            "clients of one server with limits of their own",
            Kind.SHARED,
            share("a", 10, 0, 100, MPS),
            share("b", 10, 0, 100, OTHER_MPS)));
  }

  private static Stream<Arguments> nestedThatFit() {
    return Stream.of(
        fits(
            "MIG devices inside a GPU",
            Kind.WHOLE,
            whole("a"),
            sliceInside("b", "a", "3g.20gb", 0),
            sliceInside("c", "a", "3g.20gb", 4)),
        fits(
            "MIG devices whose GPU went before them",
            Kind.SLICED,
            sliceInside("b", "a", "3g.20gb", 0),
            slice("c", "3g.20gb", 4)),
        fits(
            "compute instances inside a MIG device",
            Kind.SLICED,
            slice("a", "2g.10gb", 0),
            computeInside("b", "a", "2g.10gb", 0, new Instance(0, 1)),
            computeInside("c", "a", "2g.10gb", 0, new Instance(1, 1))),
        fits(
            "compute instances whose MIG device went before them",
            Kind.SLICED,
            computeInside("b", "a", "2g.10gb", 0, new Instance(0, 1)),
            computeInside("c", "a", "2g.10gb", 0, new Instance(1, 1))));
  }

  private static Arguments fits(String what, Kind kind, PartHolding... holdings) {
    return arguments(what, kind, ImmutableList.copyOf(holdings));
  }

  private static PartHolding[] sevenths() {
    return IntStream.range(0, 7)
        .mapToObj(start -> slice("c" + start, "1g.5gb", start))
        .toArray(PartHolding[]::new);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("whatFits")
  void fitsInAnyOrder(String what, Kind kind, ImmutableList<PartHolding> holdings) {
    assertThat(GpuUsage.of(GPU, holdings).kind()).isEqualTo(kind);
    assertThat(GpuUsage.of(GPU, holdings.reverse())).isEqualTo(GpuUsage.of(GPU, holdings));
  }

  static Stream<Arguments> whatDoesNot() {
    return Stream.of(kindsThatDoNot(), slicesThatDoNot(), sharesThatDoNot(), nestedThatDoNot())
        .flatMap(some -> some);
  }

  private static Stream<Arguments> kindsThatDoNot() {
    return Stream.of(
        not("two whole", PartConflict.WHOLE_TWICE, whole("a"), whole("b")),
        not("whole and slice", PartConflict.KINDS_MEET, whole("a"), slice("b", "1g.5gb", 0)),
        not("share and slice", PartConflict.KINDS_MEET, share("a", 1, 0), slice("b", "1g.5gb", 0)),
        not("whole and share", PartConflict.KINDS_MEET, whole("a"), share("b", 1, 0)));
  }

  private static Stream<Arguments> slicesThatDoNot() {
    return Stream.of(
        not(
            "the same memory",
            PartConflict.SLICES_OVERLAP,
            slice("a", "3g.20gb", 0),
            slice("b", "1g.5gb", 3)),
        not(
            "the same slice of two claims",
            PartConflict.SLICES_OVERLAP,
            slice("a", "1g.5gb", 3),
            slice("b", "1g.5gb", 3)),
        not("a start there is not", PartConflict.NO_SUCH_SLICE, slice("a", "3g.20gb", 2)),
        not(
            "two with media",
            PartConflict.PROFILE_COUNT,
            slice("a", "1g.5gb+me", 0),
            slice("b", "1g.5gb+me", 1)));
  }

  private static Stream<Arguments> sharesThatDoNot() {
    return Stream.of(
        not("a byte too much", PartConflict.MEMORY, share("a", 30, 0), share("b", 11, 0)),
        not(
            "more than the strictest class allows",
            PartConflict.MEMORY,
            share("a", 40, 0, 150, SharingStrategy.NONE),
            share("b", 1, 0, 100, SharingStrategy.NONE)),
        not("1001 millicores", PartConflict.MILLICORES, share("a", 1, 600), share("b", 1, 401)),
        not(
            "turns of different length",
            PartConflict.SETTINGS,
            share("a", 1, 0),
            share("b", 1, 0, 100, LONG)),
        not(
            "turns and a server",
            PartConflict.SETTINGS,
            share("a", 1, 0),
            share("b", 1, 0, 100, MPS)),
        not(
            "two shares of one claim",
            PartConflict.SHARE_TWICE,
            share("a", 1, 0),
            share("a", 2, 0)),
        not(
            "equal parts beside others",
            PartConflict.PARTITIONED,
            share("a", 1, 0, 100, new SharingStrategy.SpacePartitioning(2))),
        not("a 49th share", PartConflict.SHARES, shares(49)));
  }

  /** The product is beyond all numbers, and other nodes are judged in the same pass. */
  @ParameterizedTest
  @ValueSource(ints = {101, 200, 400})
  void memoryWithoutBoundIsPromisedAsFarAsNumbersGo(int percent) {
    GpuShape boundless = GpuShape.of(A100.GPU.uuid(), Long.MAX_VALUE, ImmutableList.of());

    assertThat(
            GpuUsage.of(
                    boundless, ImmutableList.of(share("a", 40, 0, percent, SharingStrategy.NONE)))
                .conflict())
        .isEmpty();
  }

  private static Stream<Arguments> nestedThatDoNot() {
    return Stream.of(
        not(
            "MIG devices that overlap inside a GPU",
            PartConflict.SLICES_OVERLAP,
            whole("a"),
            sliceInside("b", "a", "3g.20gb", 0),
            sliceInside("c", "a", "2g.10gb", 2)),
        not(
            "a MIG device of another claim inside a GPU",
            PartConflict.KINDS_MEET,
            whole("a"),
            sliceInside("b", "other", "3g.20gb", 0)),
        not(
            "the same compute",
            PartConflict.INSTANCES_OVERLAP,
            slice("a", "2g.10gb", 0),
            computeInside("b", "a", "2g.10gb", 0, new Instance(0, 1)),
            computeInside("c", "a", "2g.10gb", 0, new Instance(0, 1))),
        not(
            "more compute than the MIG device has",
            PartConflict.INSTANCES_OVERLAP,
            slice("a", "2g.10gb", 0),
            computeInside("b", "a", "2g.10gb", 0, new Instance(1, 2))),
        not(
            "compute of two MIG devices in the same memory",
            PartConflict.SLICES_OVERLAP,
            computeInside("b", "a", "2g.10gb", 0, new Instance(0, 1)),
            computeInside("c", "other", "2g.10gb", 0, new Instance(1, 1))));
  }

  private static Arguments not(String what, PartConflict conflict, PartHolding... holdings) {
    return arguments(what, conflict, ImmutableList.copyOf(holdings));
  }

  private static PartHolding[] shares(int claims) {
    return IntStream.range(0, claims)
        .mapToObj(claim -> share("c" + claim, 0, 0))
        .toArray(PartHolding[]::new);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("whatDoesNot")
  void isOverfullInAnyOrder(
      String what, PartConflict conflict, ImmutableList<PartHolding> holdings) {
    assertThat(GpuUsage.of(GPU, holdings).conflict()).hasValue(conflict);
    assertThat(GpuUsage.of(GPU, holdings.reverse()).conflict()).hasValue(conflict);
    assertThat(GpuUsage.of(GPU, holdings).kind()).isEqualTo(Kind.OVERFULL);
  }

  @Test
  void whatIsOverfullTakesNothingMore() {
    GpuUsage overfull = GpuUsage.of(GPU, List.of(whole("a"), whole("b")));

    assertThat(overfull.fits(sliceInside("c", "a", "1g.5gb", 0))).isFalse();
  }

  @Test
  void whatNobodyOfUsMadeStandsInTheWay() {
    GpuShape obstructed = with(new Obstacle(gpuInstance("3g.20gb", 0, Optional.empty()), true));

    assertThat(GpuUsage.of(obstructed, List.of(whole("a"))).conflict())
        .hasValue(PartConflict.OBSTRUCTED);
    assertThat(GpuUsage.of(obstructed, List.of(share("a", 1, 0))).conflict())
        .hasValue(PartConflict.OBSTRUCTED);
    assertThat(GpuUsage.of(obstructed, List.of(slice("a", "1g.5gb", 0))).conflict())
        .hasValue(PartConflict.SLICES_OVERLAP);
    assertThat(GpuUsage.of(obstructed, List.of(existing("a", "3g.20gb", 0))).conflict())
        .hasValue(PartConflict.SLICES_OVERLAP);
    assertThat(GpuUsage.of(obstructed, List.of(slice("a", "3g.20gb", 4))).conflict()).isEmpty();
    assertThat(GpuUsage.of(obstructed, List.of()).kind()).isEqualTo(Kind.FREE);
  }

  @Test
  void aStaticMigDeviceIsForOneClaimAsItIs() {
    GpuShape cut = with(new Obstacle(gpuInstance("3g.20gb", 0, Optional.empty()), false));

    assertThat(GpuUsage.of(cut, List.of(existing("a", "3g.20gb", 0))).kind())
        .isEqualTo(Kind.SLICED);
    assertThat(
            GpuUsage.of(cut, List.of(existing("a", "3g.20gb", 0), existing("b", "3g.20gb", 0)))
                .conflict())
        .hasValue(PartConflict.SLICES_OVERLAP);
    assertThat(GpuUsage.of(cut, List.of(slice("a", "3g.20gb", 0))).conflict())
        .hasValue(PartConflict.SLICES_OVERLAP);
  }

  private static GpuShape with(Obstacle obstacle) {
    return new GpuShape(
        GPU.uuid(), GPU.memoryBytes(), GPU.profiles(), GPU.aligned(), ImmutableList.of(obstacle));
  }

  @Test
  void anAlignedComputeInstanceKeepsOthersFromTheNextPowerOfTwo() {
    GpuShape aligned =
        new GpuShape(GPU.uuid(), GPU.memoryBytes(), GPU.profiles(), true, ImmutableList.of());
    ImmutableList<PartHolding> beside =
        ImmutableList.of(
            slice("all", "7g.40gb", 0),
            computeInside("a", "all", "7g.40gb", 0, new Part.Instance(0, 3)),
            computeInside("b", "all", "7g.40gb", 0, new Part.Instance(3, 1)));

    assertThat(GpuUsage.of(GPU, beside).conflict()).isEmpty();
    assertThat(GpuUsage.of(aligned, beside).conflict()).hasValue(PartConflict.INSTANCES_OVERLAP);
  }

  @Test
  void onlyThoseThatNoLongerFitAreSurplus() {
    List<PartHolding> inOrder =
        Lists.newArrayList(
            slice("a", "3g.20gb", 0), slice("b", "2g.10gb", 2), slice("c", "3g.20gb", 4));

    assertThat(GpuUsage.surplus(GPU, inOrder)).containsExactly(claim("b"));
  }

  @Test
  void whichRequestAPartServesMakesNoDifference() {
    GrantedPart named =
        new GrantedPart(
            A100.UUID,
            gpuInstance("1g.5gb", 0, Optional.empty()),
            SharingStrategy.NONE,
            100,
            false,
            Optional.empty(),
            Optional.of("training"));

    assertThat(
            GpuUsage.of(GPU, List.of(slice("a", "1g.5gb", 0), new PartHolding(claim("a"), named)))
                .conflict())
        .isEmpty();
  }

  /** On every model that is known the memory slices run out first. */
  @Test
  void computeSlicesMayRunOutBeforeMemorySlices() {
    MigProfile all = GpuModels.sized(1, GpuModels.profile("7g.40gb", 7, 2, 2, 0, 2));
    GpuShape odd = GpuShape.of(A100.UUID, 1, List.of(all));
    Part.Slice first = new Part.Slice("7g.40gb", 0, 2, 7, Optional.empty());
    Part.Slice second = new Part.Slice("7g.40gb", 2, 2, 7, Optional.empty());

    assertThat(MigPacking.conflict(odd, List.of(first))).isEmpty();
    assertThat(MigPacking.conflict(odd, List.of(first, second))).hasValue(PartConflict.COMPUTE);
  }
}
