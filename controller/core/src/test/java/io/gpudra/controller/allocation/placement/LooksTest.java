package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.allocation.placement.Worlds.link;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeFingerprint;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.Taints;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which nodes answer alike. */
class LooksTest {

  /** Three GPUs whose UUIDs begin so, the first of them with this MIG device. */
  private static Inventory node(String uuids, MigState.Device device, GpuLink... links) {
    MigState cut = new MigState(MigMode.ENABLED, false, ImmutableList.of(device));
    ImmutableList<Gpu> gpus =
        IntStream.range(0, 3)
            .mapToObj(i -> gpu(uuids, i, i == 0 ? cut : GpuModels.enabled()))
            .collect(toImmutableList());
    return Worlds.inventory("of " + uuids, gpus, links);
  }

  private static Gpu gpu(String uuids, int index, MigState mig) {
    return Worlds.gpu(index, A100, mig).toBuilder()
        .uuid(uuids + index)
        .pcieBusId("bus of " + uuids)
        .build();
  }

  private static Inventory board(String id, Inventory node) {
    AttributeValues attributes = AttributeValues.parse(ImmutableMap.of("pcieDeviceID", id));
    return Worlds.inventory(
        node.node().name(),
        node.gpus().stream()
            .map(gpu -> gpu.toBuilder().attributes(attributes).build())
            .collect(toImmutableList()),
        node.links().toArray(GpuLink[]::new));
  }

  private static MigState.Device device(String uuid, String... claim) {
    Part.Slice slice = slice(A100, "3g.20gb", 0);
    return claim.length == 0
        ? GrantFixture.migDevice(uuid, slice)
        : GrantFixture.migDevice(uuid, slice, new ClaimUid(claim[0]));
  }

  static Stream<Arguments> pairs() {
    return Stream.of(
        arguments(
            "whose names differ",
            node("b", device("MIG-2", "other"), link("b0", "b1")),
            /* alike= */ true),
        arguments(
            "that connects others",
            node("b", device("MIG-2", "other"), link("b0", "b2")),
            /* alike= */ false),
        arguments(
            "whose GPUs are other boards",
            board("20b2", node("b", device("MIG-2", "other"), link("b0", "b1"))),
            /* alike= */ false),
        arguments(
            "whose MIG device is nobody's", node("b", device("MIG-2"), link("b0", "b1")), false),
        arguments(
            "whose MIG device is tainted",
            node(
                "b",
                device("MIG-2", "other").with(ImmutableList.of(Taints.noSchedule("xid"))),
                link("b0", "b1")),
            /* alike= */ false),
        arguments(
            "whose MIG device nobody can use",
            node("b", device(MigState.Device.halfMade("b0", 3), "other"), link("b0", "b1")),
            /* alike= */ false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pairs")
  void aNodeLooksLikeOne(String other, Inventory second, boolean alike) {
    Inventory first = node("a", device("MIG-1", "claim"), link("a0", "a1"));

    assertThat(looks(first).equals(looks(second))).as(other).isEqualTo(alike);
  }

  @Test
  void aMigDeviceWithoutANameCanBeUsedIfItCouldBeBefore() {
    assertThat(isWhole(NodeFingerprint.anonymous(node("a", device("MIG-1"))))).isTrue();
    assertThat(
            isWhole(
                NodeFingerprint.anonymous(node("a", device(MigState.Device.halfMade("a0", 3))))))
        .isFalse();
  }

  private static boolean isWhole(Inventory node) {
    return node.gpus().get(0).mig().devices().get(0).isWhole();
  }

  private static Optional<NodeFingerprint> looks(Inventory node) {
    return NodeFingerprint.of(NodeLedger.of(node));
  }
}
