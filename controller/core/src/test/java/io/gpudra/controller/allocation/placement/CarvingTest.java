package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.H100;
import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.inside;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.pod;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.crds.model.node.GpuModel;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is carved out of whose devices, and where in them. */
class CarvingTest {
  private static final ClaimRequest OWN = claim("own", whole(1));
  private static final ClaimRequest OTHER = claim("other", whole(1));
  private static final ClaimRequest DEVICE = claim("own", mig("2g.10gb", 1));
  private static final ClaimRequest OTHER_DEVICE = claim("other", mig("2g.10gb", 1));

  private static NodeLedger inMigMode() {
    return node(ImmutableList.of(gpu(0, A100, enabled()), gpu(1, A100, enabled())));
  }

  private static ClaimRequest child(ClaimRequest parent, String profile, int count) {
    return inside(parent, claim("child of " + parent.ref().name(), mig(profile, count)));
  }

  /** With what the pod is granted. */
  private static NodeLedger with(NodeLedger ledger, ClaimRequest... claims) {
    return Worlds.with(ledger, pod(claims), place(ledger, claims));
  }

  @Test
  void computeInstancesOfOneDeviceAreBesideEachOther() {
    ClaimRequest half = claim("half", mig("4g.20gb", 1));

    assertThat(names(place(a100s(1), half, child(half, "2c.4g.20gb", 2)), "child of half"))
        .containsExactly("gpu-0-mig-2c.4g.20gb-0-0", "gpu-0-mig-2c.4g.20gb-0-2");
  }

  static Stream<Arguments> threes() {
    return Stream.of(
        arguments(A100, "3c.7g.40gb", ImmutableList.of(0, 3)),
        arguments(H100, "3c.7g.40gb", ImmutableList.of(0, 4)),
        arguments(H100, "2c.7g.40gb", ImmutableList.of(0, 2, 4)),
        arguments(H100, "1c.7g.40gb", ImmutableList.of(0, 1, 2, 3, 4, 5, 6)));
  }

  @ParameterizedTest(name = "{1} of an {0}")
  @MethodSource("threes")
  void computeInstancesStartWhereTheArchitectureLetsThem(
      GpuModel model, String profile, ImmutableList<Integer> starts) {
    ClaimRequest all = claim("all", mig("7g.40gb", 1));
    NodeLedger one = node(ImmutableList.of(gpu(0, model, cuttable())));
    String name = "gpu-0-mig-%s-0-".formatted(profile);

    assertThat(names(place(one, all, child(all, profile, starts.size())), "child of all"))
        .containsExactlyElementsOf(starts.stream().map(start -> name + start).toList());
    assertThat(place(one, all, child(all, profile, starts.size() + 1)))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void besideThreeAlignedSlicesTheFourthIsNobodys() {
    ClaimRequest all = claim("all", mig("7g.40gb", 1));
    ClaimRequest threes = child(all, "3c.7g.40gb", 2);
    ClaimRequest one = inside(all, claim("one", mig("1c.7g.40gb", 1)));

    assertThat(place(node(ImmutableList.of(gpu(0, A100, cuttable()))), all, threes, one))
        .isInstanceOf(Placement.Fits.class);
    NodeLedger aligned = node(ImmutableList.of(gpu(0, H100, cuttable())));
    assertThat(place(aligned, all, threes, one)).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(place(with(aligned, all, threes), one)).isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void computeInstancesOfADeviceThatIsHeldAreBesideThoseThatAreThere() {
    ClaimRequest device = claim("device", mig("3g.20gb", 1));
    NodeLedger held = with(a100s(1), device, inside(device, claim("first", mig("1c.3g.20gb", 1))));

    assertThat(names(place(held, child(device, "1c.3g.20gb", 2)), "child of device"))
        .containsExactly("gpu-0-mig-1c.3g.20gb-4-1", "gpu-0-mig-1c.3g.20gb-4-2");
    assertThat(place(held, child(device, "1c.3g.20gb", 3)))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void computeInstancesAreOfTheDeviceTheyNameOfSeveralThatAreHeld() {
    ClaimRequest two = claim("two", mig("2g.10gb", 1), mig("3g.20gb", 1));
    NodeLedger held = with(a100s(1), two, inside(two, claim("first", mig("1c.2g.10gb", 1))));

    assertThat(names(place(held, child(two, "1c.2g.10gb", 1)), "child of two")).hasSize(1);
    assertThat(place(held, child(two, "1c.2g.10gb", 2))).isInstanceOf(Placement.DoesNotFit.class);
  }

  static Stream<Arguments> others() {
    return Stream.of(
        arguments(
            "a MIG device of another parent",
            a100s(1),
            ImmutableList.of(
                DEVICE,
                OTHER_DEVICE,
                child(DEVICE, "1c.2g.10gb", 3),
                child(OTHER_DEVICE, "1c.2g.10gb", 1))),
        arguments(
            "a GPU of another parent",
            inMigMode(),
            ImmutableList.of(OWN, OTHER, child(OWN, "4g.20gb", 2), child(OTHER, "1g.5gb", 1))),
        arguments(
            "a GPU of which somebody has a MIG device",
            inMigMode(),
            ImmutableList.of(OWN, claim("other", mig("1g.5gb", 1)), child(OWN, "4g.20gb", 2))),
        arguments(
            "a GPU that another parent holds",
            after(inMigMode(), OWN, OTHER),
            ImmutableList.of(child(OWN, "4g.20gb", 2), child(OTHER, "1g.5gb", 1))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("others")
  void aChildHasNothingOfOthersThanItsParent(
      String what, NodeLedger ledger, ImmutableList<ClaimRequest> claims) {
    assertThat(place(ledger, claims.toArray(ClaimRequest[]::new)))
        .as(what)
        .isInstanceOf(Placement.DoesNotFit.class);
  }
}
