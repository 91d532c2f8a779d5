package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.inside;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static io.gpudra.crds.testing.GpuModels.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims for which what comes to mind first is wrong, and those for which nothing is right. */
class DeadEndsTest {

  private static DeviceSubRequest among(long gpus, DeviceKind kind, int count) {
    return Worlds.wish(count, kind, new Among(gpus));
  }

  private static DeviceSubRequest smallOf(int gpu) {
    return among(1L << gpu, new DeviceKind.Mig(Optional.of("1g.5gb")), 1);
  }

  @Test
  void eachParentIsWhereItsOwnChildCanBe() {
    NodeLedger three =
        node(
            ImmutableList.of(
                gpu(0, model("H100", 80), enabled()),
                gpu(1, A100, enabled()),
                gpu(2, A100, enabled())));
    ClaimRequest one = claim("one", whole(1));
    ClaimRequest other = claim("other", whole(1));

    Placement placement =
        place(
            three,
            one,
            other,
            inside(one, claim("of one", smallOf(2))),
            inside(other, claim("of other", smallOf(1))));

    assertThat(names(placement, "one")).containsExactly("gpu-2");
    assertThat(names(placement, "other")).containsExactly("gpu-1");
  }

  @Test
  void aMigDeviceThatIsOnlyChosenMakesWay() {
    NodeLedger one = a100s(1);
    assertThat(names(place(one, claim("a", mig("2g.10gb", 1))), "a"))
        .containsExactly("gpu-0-mig-2g.10gb-4");

    Placement both =
        place(one, claim("a", mig("2g.10gb", 1)), claim("b", StartsAt.mig("2g.10gb", 4)));

    assertThat(names(both, "b")).containsExactly("gpu-0-mig-2g.10gb-4");
  }

  /** MIG devices that are there and have these UUIDs. */
  private record Known(ImmutableSet<String> uuids) implements FixedPredicate {

    @Override
    public boolean differsBetweenPlaces() {
      return true;
    }

    @Override
    public boolean differsBetweenNodes() {
      return true;
    }

    @Override
    public long matching(Inventory inventory) {
      return 0;
    }

    @Override
    public boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
      return uuids.contains(uuid);
    }
  }

  private static DeviceSubRequest known(int count, String... uuids) {
    return Worlds.wish(
        count, new DeviceKind.Mig(Optional.empty()), new Known(ImmutableSet.copyOf(uuids)));
  }

  private static Gpu halved(int index, String low, String high) {
    return gpu(index, A100, enabled(half(low, 0), half(high, 4)));
  }

  private static MigState.Device half(String uuid, int start) {
    return GrantFixture.migDevice(uuid, GpuModels.slice(A100, "3g.20gb", start));
  }

  @Test
  void whoWantsCertainMigDevicesOfGpusThatLookAlikeGetsThem() {
    NodeLedger two = node(ImmutableList.of(halved(0, "a", "b"), halved(1, "c", "d")));

    Placement placement =
        place(two, claim("both", known(2, "a", "c")), claim("either", known(1, "a", "d")));

    assertThat(names(placement, "either")).containsExactly("gpu-1-mig-3g.20gb-4");
  }

  @Test
  void aMigDeviceIsToldFromOneThatIsInUse() {
    NodeLedger used = after(node(ImmutableList.of(halved(0, "a", "b"))), claim("a", known(1, "a")));

    assertThat(names(place(used, claim("b", known(1, "b"))), "b"))
        .containsExactly("gpu-0-mig-3g.20gb-4");
    assertThat(place(used, claim("other", known(1, "a")))).isInstanceOf(Placement.DoesNotFit.class);
  }

  /** No two of which can stand in for each other. */
  private static NodeLedger different(int count) {
    return node(
        IntStream.range(0, count).mapToObj(DeadEndsTest::ofItsKind).collect(toImmutableList()));
  }

  private static Gpu ofItsKind(int index) {
    return gpu(
        index,
        model("kind " + index, 10 + index, A100.migProfiles().toArray(MigProfile[]::new)),
        cuttable());
  }

  static Stream<Arguments> hopeless() {
    return Stream.of(
        arguments(
            "more GPUs than are free",
            after(different(12), claim("w", whole(1))),
            ImmutableList.of(claim("a", whole(6), whole(6))),
            "each request fits alone, but not all of them together"),
        arguments(
            "one MIG device more than there is room for",
            a100s(8),
            ImmutableList.of(claim("a", mig("3g.20gb", 8), mig("2g.10gb", 8), mig("1g.5gb", 17))),
            "each request fits alone, but not all of them together"),
        arguments(
            "MIG devices of GPUs all of which another claim wants",
            different(9),
            ImmutableList.of(
                claim("a", among(0b1111, new DeviceKind.Mig(Optional.of("7g.40gb")), 3)),
                claim("b", whole(9))),
            "fits alone, but not together with team/b of the same pod"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hopeless")
  void whatCannotBeIsToldFromWhatIsHardToDecide(
      String what, NodeLedger ledger, ImmutableList<ClaimRequest> claims, String told) {
    assertThat(text(place(ledger, claims.toArray(ClaimRequest[]::new)), "a"))
        .as(what)
        .isEqualTo(told);
  }
}
