package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims that see all GPUs of a node and take none. */
class MonitorsTest {

  private static DeviceSubRequest sight(long gpus) {
    return new DeviceSubRequest(
        Optional.empty(),
        1,
        /* all= */ true,
        new DeviceKind.MonitorAccess(),
        new Among(gpus),
        SharingStrategy.NONE);
  }

  private static ClaimRequest monitor(String name) {
    return claim(name, sight(-1));
  }

  @Test
  void monitorsTakeNothingAndFitWhateverIsTaken() {
    NodeLedger full = after(a100s(2), claim("w", whole(1)), claim("m", mig("7g.40gb", 1)));
    NodeLedger seen = after(full, monitor("a"));

    assertThat(names(place(full, monitor("a")), "a")).isEmpty();
    assertThat(names(place(seen, monitor("b")), "b")).isEmpty();
    assertThat(seen.usages()).isEqualTo(full.usages());
    assertThat(seen.freeMask()).isEqualTo(full.freeMask());
    assertThat(names(place(after(a100s(2), monitor("a")), claim("w", whole(2))), "w")).hasSize(2);
  }

  @Test
  void aMonitorOfAPodLeavesAllToThePodsOtherClaims() {
    Placement both = place(a100s(2), claim("w", whole(2)), monitor("a"));
    assertThat(names(both, "w")).containsExactly("gpu-0", "gpu-1");
    assertThat(names(both, "a")).isEmpty();

    Placement tooMuch = place(a100s(2), claim("w", whole(3)), monitor("a"));
    assertThat(((Placement.DoesNotFit) tooMuch).reasons())
        .containsOnlyKeys(new ClaimUid("uid-of-w"));
  }

  @Test
  void theNameOfAMonitorSticksToItsNode() {
    NodeLedger held = after(a100s(1), monitor("a"));
    ClaimRequest again = Worlds.known("another", monitor("a"));

    assertThat(((Placement.DoesNotFit) place(held, again)).reasons().values())
        .extracting(reason -> reason.kind().label())
        .containsExactly("nameHeld");
  }

  @Test
  void aNodeWithoutAMatchingGpuShowsNothing() {
    NodeLedger two = a100s(2);
    assertThat(place(two, claim("a", sight(0b100)))).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(text(place(node(ImmutableList.of()), monitor("a")), "a"))
        .isEqualTo("node has no GPUs");
    assertThat(names(place(two, claim("a", sight(0b10))), "a")).isEmpty();
  }

  @Test
  void onlyANodeThatSpeaksAndReadsSuchHandlesIsSeen() {
    Inventory good =
        node(ImmutableList.of(gpu(0, A100, MigState.of(MigMode.DISABLED)))).inventory();
    Inventory silent = good.with(new Inventory.Service.Stale(Instant.EPOCH));
    Inventory old = Worlds.readingFormat(1, good);

    assertThat(text(place(NodeLedger.of(silent), monitor("a")), "a"))
        .isEqualTo("plugin silent since 1970-01-01T00:00:00Z");
    assertThat(text(place(NodeLedger.of(old), monitor("a")), "a"))
        .isEqualTo(
            "the node's plugin supports only whole GPUs without settings; a newer version is"
                + " needed");
  }

  private static NodeLedger monitored(int monitors) {
    NodeLedger ledger = a100s(2);
    for (int i = 0; i < monitors; i++) {
      ledger = after(ledger, monitor("m" + i));
    }
    return ledger;
  }

  @Test
  void the513thMonitorIsRefusedAndAGpuIsNot() {
    NodeLedger full = monitored(512);

    assertThat(text(place(full, monitor("a")), "a"))
        .isEqualTo("512 claims monitor its GPUs, and 1 more would; at most 512 may");
    assertThat(names(place(full, claim("w", whole(1))), "w")).hasSize(1);
    assertThat(names(place(full, claim("m", mig("7g.40gb", 1))), "m")).hasSize(1);
    assertThat(names(place(full, monitor("m7")), "m7")).isEmpty();
  }

  @Test
  void theMonitorsOfAPodCountTogether() {
    NodeLedger nearlyFull = monitored(511);

    assertThat(place(nearlyFull, monitor("a"), claim("w", whole(1))))
        .isInstanceOf(Placement.Fits.class);
    assertThat(text(place(nearlyFull, monitor("a"), monitor("b")), "a"))
        .isEqualTo("511 claims monitor its GPUs, and 2 more would; at most 512 may");
  }
}
