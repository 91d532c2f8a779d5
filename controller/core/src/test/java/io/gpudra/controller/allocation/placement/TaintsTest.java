package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.testing.Taints;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** GPUs that keep claims away. */
class TaintsTest {
  private static final DeviceTaint FAN = Taints.noSchedule("maintenance", "fan swap");

  private static DeviceToleration of(String key) {
    return new DeviceToleration(key, Optional.empty(), Optional.empty(), Optional.empty());
  }

  @Test
  void aTaintedGpuIsForClaimsThatTolerateIt() {
    NodeLedger node = node(ImmutableList.of(gpu(0, A100, cuttable()).with(ImmutableList.of(FAN))));
    assertThat(text(place(node, claim("a", whole(1))), "a"))
        .isEqualTo("1 GPU: gpu-0 tainted maintenance (fan swap)");
    assertThat(text(place(node, claim("a", mig("1g.5gb", 1))), "a"))
        .endsWith("; gpu-0 tainted maintenance (fan swap)");
    DeviceToleration any = of("maintenance");
    assertThat(names(place(node, Worlds.tolerating(any, claim("a", whole(1)))), "a"))
        .containsExactly("gpu-0");
    assertThat(names(place(node, Worlds.tolerating(any, claim("a", mig("1g.5gb", 1)))), "a"))
        .hasSize(1);
  }

  @Test
  void whoToleratesAnotherTaintIsKeptAway() {
    NodeLedger node = node(ImmutableList.of(gpu(0, A100, cuttable()).with(ImmutableList.of(FAN))));

    assertThat(place(node, Worlds.tolerating(of("other"), claim("a", whole(1)))))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void eachTaintedGpuKeepsClaimsAwayAndNoOther() {
    NodeLedger second =
        node(
            ImmutableList.of(
                gpu(0, A100, cuttable()), gpu(1, A100, cuttable()).with(ImmutableList.of(FAN))));

    assertThat(names(place(second, claim("a", whole(1))), "a")).containsExactly("gpu-0");
    assertThat(place(second, claim("a", whole(2)))).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(place(second, claim("a", share(1, 2)))).isInstanceOf(Placement.DoesNotFit.class);
  }
}
