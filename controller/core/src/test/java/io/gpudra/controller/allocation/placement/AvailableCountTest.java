package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many devices of a node would do. */
class AvailableCountTest {

  static Stream<Arguments> supplies() {
    NodeLedger two = a100s(2);
    return Stream.of(
        arguments("GPUs of all ways", two, ways(whole(1, 0b01), whole(1, 0b10)), 2),
        arguments("each GPU once", two, claim("a", whole(2), share(1, 1)), 2),
        arguments("GPUs that are in use", after(two, claim("w", whole(1))), one(whole(2)), 2),
        arguments("MIG devices that can be made", two, one(mig("1g.5gb", 3)), 14),
        arguments("each once", two, claim("a", mig("2g.10gb", 1), mig("2g.10gb", 2)), 6),
        arguments("GPUs and MIG devices", two, ways(whole(1), mig("7g.40gb", 1)), 4),
        arguments("not on GPUs in use", after(two, claim("w", whole(1))), one(mig("1g.5gb", 1)), 7),
        arguments("one is there and one can be made", half(), one(mig("3g.20gb", 1)), 2));
  }

  private static ClaimRequest one(DeviceSubRequest subRequest) {
    return claim("a", subRequest);
  }

  private static ClaimRequest ways(DeviceSubRequest first, DeviceSubRequest second) {
    return claim(
        "a",
        alternative(DeviceConstraints.ANYHOW, first),
        alternative(DeviceConstraints.ANYHOW, second));
  }

  /** Cut by an administrator. */
  private static NodeLedger half() {
    MigState cut =
        new MigState(
            MigMode.ENABLED,
            /* switchable= */ false,
            ImmutableList.of(found("3g.20gb", 0, /* foreign= */ false)));
    return node(ImmutableList.of(gpu(0, A100, cut)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("supplies")
  void countsWhatWouldDo(String what, NodeLedger ledger, ClaimRequest claim, int devices) {
    assertThat(AvailableCount.of(ledger, claim)).as(what).isEqualTo(devices);
  }
}
