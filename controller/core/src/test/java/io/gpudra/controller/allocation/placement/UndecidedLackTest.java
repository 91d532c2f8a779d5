package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.reason;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.Taints;
import java.util.Collections;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Causes that are not known because a search for them was given up. */
class UndecidedLackTest {

  /** The last of many requests fits on the node, if nothing else is in the way. */
  private static ClaimRequest fitsAtLast(DeviceConstraints constraints) {
    RequestAlternative tooMuch = alternative(constraints, whole(2), whole(1));
    return claim(
        "a",
        Stream.concat(
                Collections.nCopies(1_200, tooMuch).stream(),
                Stream.of(alternative(constraints, whole(1))))
            .toArray(RequestAlternative[]::new));
  }

  @Test
  void taintsThatCannotBeRuledOutAreNotToldAsALackThatLasts() {
    DeviceTaint ill = Taints.taint("xid", "95", Effect.NO_SCHEDULE, "XID 95");
    NodeLedger node =
        node(
            IntStream.range(0, 2)
                .mapToObj(i -> gpu(i, A100, cuttable()).with(ImmutableList.of(ill)))
                .collect(ImmutableList.toImmutableList()));

    assertThat(reason(place(node, fitsAtLast(DeviceConstraints.ANYHOW)), "a").kind().label())
        .isEqualTo("tooManyCombinations");
  }

  @Test
  void devicesThatMayOnlyFailToAgreeAreNotToldAsALackThatLasts() {
    GpuModel uncut = model("T4", 16);
    NodeLedger node =
        node(
            IntStream.range(0, 2)
                .mapToObj(i -> gpu(i, uncut, MigState.of(MigMode.DISABLED)))
                .collect(ImmutableList.toImmutableList()));
    DeviceConstraints ofOneProfile =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.MIG_PROFILE));

    assertThat(reason(place(node, fitsAtLast(ofOneProfile)), "a").kind().label())
        .isEqualTo("tooManyCombinations");
  }
}
