package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static io.gpudra.crds.testing.GpuModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import org.junit.jupiter.api.Test;

/** What of a node is taken when several parts would do, and how often. */
class LikingTest {

  private static ClaimRequest spread(DeviceSubRequest subRequest) {
    return claim("a", AllocationPolicy.SPREAD, alternative(DeviceConstraints.ANYHOW, subRequest));
  }

  @Test
  void theSmallestGpuIsTakenWhoeverItIsBeside() {
    NodeLedger mixed =
        node(
            ImmutableList.of(
                gpu(0, model("H100", 80), cuttable()), gpu(1, model("T4", 16), cuttable())));
    ClaimRequest either =
        claim(
            "a",
            alternative(DeviceConstraints.ANYHOW, whole(1)),
            alternative(DeviceConstraints.ANYHOW, mig("1g", 1)));

    assertThat(names(place(mixed, either), "a")).containsExactly("gpu-1");
  }

  @Test
  void migDevicesArePackedOrSpread() {
    NodeLedger on = node(ImmutableList.of(gpu(0, A100, enabled()), gpu(1, A100, enabled())));
    NodeLedger taken = after(on, claim("x", mig("1g.5gb", 1)));

    assertThat(names(place(taken, claim("a", mig("1g.5gb", 1))), "a"))
        .allMatch(name -> name.startsWith("gpu-0-"));
    assertThat(names(place(taken, spread(mig("1g.5gb", 1))), "a"))
        .allMatch(name -> name.startsWith("gpu-1-"));
  }

  private static MigState cut(MigState.Device... devices) {
    return new MigState(MigMode.ENABLED, /* switchable= */ false, ImmutableList.copyOf(devices));
  }

  @Test
  void aMigDeviceThatIsThereIsTakenBeforeOneIsMadeOfAnEmptierGpu() {
    NodeLedger node =
        node(
            ImmutableList.of(
                gpu(0, A100, cut(found("1g.5gb", 0, false), found("3g.20gb", 4, true))),
                gpu(1, A100, enabled())));

    assertThat(names(place(node, spread(mig("1g.5gb", 1))), "a"))
        .containsExactly("gpu-0-mig-1g.5gb-0");
  }

  @Test
  void aMigDeviceThatIsThereIsTakenOnce() {
    NodeLedger node =
        node(
            ImmutableList.of(
                gpu(0, A100, cut(found("3g.20gb", 0, false), found("3g.20gb", 4, true)))));

    assertThat(names(place(node, claim("a", mig("3g.20gb", 1))), "a")).hasSize(1);
    assertThat(place(node, claim("a", mig("3g.20gb", 1)), claim("b", mig("3g.20gb", 1))))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void claimsOfAPodShareAGpuAndTheSharesOfOneClaimDoNot() {
    Placement both = place(a100s(1), claim("a", share(10, 1)), claim("b", share(10, 1)));

    assertThat(names(both, "a")).containsExactly("gpu-0");
    assertThat(names(both, "b")).containsExactly("gpu-0");
    assertThat(place(a100s(1), claim("a", share(10, 1), share(10, 1))))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void theClaimThatHasFewerGpusToChooseFromChoosesFirst() {
    Placement both = place(a100s(3), claim("a", whole(1)), claim("b", whole(1, 0b011)));

    assertThat(names(both, "b")).containsExactly("gpu-0");
    assertThat(names(both, "a")).containsExactly("gpu-1");
  }
}
