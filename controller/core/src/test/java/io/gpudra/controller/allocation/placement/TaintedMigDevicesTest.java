package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.inside;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.pod;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.tolerating;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.controller.allocation.placement.Worlds.wish;
import static io.gpudra.controller.allocation.placement.Worlds.with;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static io.gpudra.crds.testing.GpuModels.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.Taints;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MIG devices that keep claims away from themselves, and from nothing else of their GPU. */
class TaintedMigDevicesTest {
  private static final ImmutableList<DeviceTaint> ILL =
      ImmutableList.of(Taints.taint("xid", "95", Effect.NO_SCHEDULE, "XID 95"));
  private static final DeviceToleration XID =
      new DeviceToleration("xid", Optional.empty(), Optional.empty(), Optional.empty());
  private static final DeviceToleration OTHER =
      new DeviceToleration("ecc", Optional.empty(), Optional.empty(), Optional.empty());
  private static final DeviceSubRequest ANY = wish(1, new DeviceKind.Mig(Optional.empty()));

  private static Gpu cut(int index, MigState.Device... devices) {
    return gpu(index, A100, enabled().with(ImmutableList.copyOf(devices)));
  }

  private static MigState.Device ill(String profile, int start) {
    return found(profile, start, false).with(ILL);
  }

  private static MigState.Device well(String profile, int start) {
    return found(profile, start, false);
  }

  /** Of devices that leave no room for others. */
  private static NodeLedger full() {
    return node(ImmutableList.of(cut(0, ill("4g.20gb", 0), well("3g.20gb", 4))));
  }

  private static NodeLedger roomy() {
    return node(ImmutableList.of(cut(0, ill("1g.5gb", 0))));
  }

  static Stream<Arguments> grants() {
    ClaimRequest four = claim("a", mig("4g.20gb", 1));
    return Stream.of(
        arguments("who tolerates it", full(), tolerating(XID, four), "4g.20gb-0"),
        arguments("its neighbour", full(), claim("a", mig("3g.20gb", 1)), "3g.20gb-4"),
        arguments("whichever there is", full(), claim("a", ANY), "3g.20gb-4"),
        arguments("what is free beside it", roomy(), claim("a", mig("1g.5gb", 1)), "1g.5gb-1"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("grants")
  void whatIsGranted(String what, NodeLedger node, ClaimRequest claim, String name) {
    assertThat(names(place(node, claim), "a")).as(what).containsExactly("gpu-0-mig-" + name);
  }

  static Stream<Arguments> refusals() {
    ClaimRequest four = claim("a", mig("4g.20gb", 1));
    String full = "4g.20gb fits on no GPU: gpu-0 has 0 free memory slices";
    String ill = "; gpu-0-mig-4g.20gb-0 tainted xid (XID 95)";
    DeviceSubRequest other = wish(1, new DeviceKind.Mig(Optional.of("2g.10gb")));
    return Stream.of(
        arguments("no toleration", four, Kind.TAINTED, full + ill),
        arguments("another toleration", tolerating(OTHER, four), Kind.TAINTED, full + ill),
        arguments(
            "more than there are",
            tolerating(XID, claim("a", mig("4g.20gb", 2))),
            Kind.NEVER_ROOM,
            "room for 1 of 2 wanted 4g.20gb"),
        arguments(
            "what it is not",
            claim("a", other),
            Kind.NEVER_ROOM,
            "2g.10gb fits on no GPU: gpu-0 has 0 free memory slices"),
        arguments(
            "all of the GPU",
            claim("a", whole(1)),
            Kind.ALL_MATCHING_IN_USE,
            "1 GPU, 1 cut into MIG devices of others"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  void whyNothingIsGranted(String what, ClaimRequest claim, Kind cause, String text) {
    Placement placement = place(full(), claim);

    assertThat(text(placement, "a")).as(what).isEqualTo(text);
    assertThat(((NodeRefusal) Worlds.reason(placement, "a")).kind()).isEqualTo(cause);
  }

  /** Two GPU instances of a claim, one on each GPU, of which one is not well. */
  private static NodeLedger divided(ClaimRequest outer, int tainted) {
    ClaimRequest first = inside(outer, claim("first", mig("1c.4g.20gb", 1)));
    NodeLedger bare = node(ImmutableList.of(cut(0), cut(1)));
    Placement placement = place(bare, outer, first);
    ImmutableList<Gpu> gpus =
        IntStream.range(0, 2)
            .mapToObj(index -> cut(index, made(outer, index == tainted)))
            .collect(toImmutableList());
    return with(node(gpus), pod(outer), placement);
  }

  private static MigState.Device made(ClaimRequest outer, boolean tainted) {
    MigState.Device device =
        GrantFixture.migDevice(
            "MIG-of-" + outer.ref().name(), slice(A100, "4g.20gb", 0), outer.uid());
    return tainted ? device.with(ILL) : device;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void nothingIsCarvedOutOfAGpuInstanceOfWhichAPartIsTainted(int tainted) {
    ClaimRequest outer = claim("outer", mig("4g.20gb", 2));
    NodeLedger ledger = divided(outer, tainted);
    ClaimRequest five = inside(outer, claim("five", mig("1c.4g.20gb", 5)));
    ClaimRequest one = inside(outer, claim("one", mig("1c.4g.20gb", 1)));

    assertThat(names(place(ledger, one), "one"))
        .allMatch(name -> name.startsWith("gpu-" + (1 - tainted)));
    assertThat(text(place(ledger, five), "five"))
        .isEqualTo(
            "5 of 1c.4g.20gb do not fit into what \"outer\" holds; gpu-%d-mig-4g.20gb-0 tainted xid (XID 95)"
                .formatted(tainted));
    assertThat(names(place(ledger, tolerating(XID, five)), "five")).hasSize(5);
  }

  @Test
  void gpusThatKeepAllMigDevicesAwayAreToldAsTainted() {
    NodeLedger node = node(ImmutableList.of(cut(0).with(ILL)));
    Placement placement = place(node, claim("a", ANY));

    assertThat(text(placement, "a"))
        .isEqualTo("no MIG device can be allocated; gpu-0 tainted xid (XID 95)");
    assertThat(((NodeRefusal) Worlds.reason(placement, "a")).kind()).isEqualTo(Kind.TAINTED);
  }
}
