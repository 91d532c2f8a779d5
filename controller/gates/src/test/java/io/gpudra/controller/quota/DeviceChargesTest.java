package io.gpudra.controller.quota;

import static io.gpudra.controller.quota.QuotaWorld.GIB;
import static io.gpudra.controller.quota.QuotaWorld.OWNER;
import static io.gpudra.controller.quota.QuotaWorld.gpu;
import static io.gpudra.controller.quota.QuotaWorld.grant;
import static io.gpudra.controller.quota.QuotaWorld.ref;
import static io.gpudra.controller.quota.QuotaWorld.uid;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Of a GPU with 40 GiB, 8 memory slices and 7 compute slices. */
class DeviceChargesTest {
  private static final String GPU = gpu("n", 0);
  private static final NodeLedger EMPTY = NodeLedger.of(QuotaWorld.inventory("n", 4));

  private static Part.Slice slice(String profile) {
    return GpuModels.slice(GpuModels.A100, profile, 0);
  }

  private static Part.Slice instance(String profile, int compute) {
    return slice(profile).with(Optional.of(new Part.Instance(0, compute)));
  }

  static Stream<Arguments> parts() {
    return Stream.of(
        Arguments.of("a GPU", new Part.Whole(), 1000, 40 * GIB),
        Arguments.of("more compute than memory", slice("1g.5gb"), 143, 5 * GIB),
        Arguments.of("more memory than compute", slice("1g.10gb"), 250, 10 * GIB),
        Arguments.of("half of the memory", slice("3g.20gb"), 500, 20 * GIB),
        Arguments.of("all of the GPU as a MIG device", slice("7g.40gb"), 1000, 40 * GIB),
        Arguments.of("a third of half", instance("3g.20gb", 1), 167, (20 * GIB + 2) / 3),
        Arguments.of("two thirds of half", instance("3g.20gb", 2), 334, (40 * GIB + 2) / 3),
        Arguments.of("all of half", instance("3g.20gb", 3), 500, 20 * GIB),
        Arguments.of("a share by memory", new Part.Share(10 * GIB, 100), 250, 10 * GIB),
        Arguments.of("a share by compute", new Part.Share(10 * GIB, 500), 500, 10 * GIB),
        Arguments.of("a share of any compute", new Part.Share(1, 0), 1, 1L),
        Arguments.of(
            "a profile that is not listed",
            new Part.Slice("9g.1gb", 0, 1, 1, Optional.empty()),
            143,
            40 * GIB));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("parts")
  void aDeviceCountsTheLargerOfItsPartsRoundedUp(
      String what, Part part, long thousandths, long bytes) {
    assertThat(charge(GrantFixture.part(GPU, part))).isEqualTo(new QuotaCharge(thousandths, bytes));
  }

  private static QuotaCharge charge(GrantedPart... parts) {
    return charge(holding(EMPTY, "a", grant("a", "n", parts)));
  }

  private static NodeLedger holding(NodeLedger ledger, String claim, Grant grant) {
    return ledger.observed(uid(claim), ref(claim), Optional.of(grant));
  }

  private static QuotaCharge charge(NodeLedger ledger) {
    return DeviceCharges.of(ledger, uid("a")).orElseThrow();
  }

  @Test
  void devicesAddUpAndNoDevicesCountNothing() {
    assertThat(charge()).isEqualTo(QuotaCharge.NONE);
    assertThat(charge(GrantedPart.whole(GPU), GrantedPart.whole(gpu("n", 1))))
        .isEqualTo(new QuotaCharge(2000, 80 * GIB));
    assertThat(DeviceCharges.of(EMPTY, uid("a"))).isEmpty();
  }

  @Test
  void aDeviceThatOnlyContainsOthersCountsAndTheOthersDoNot() {
    GrantedDevice parent = new GrantedDevice("gpu-0", GrantedPart.whole(GPU), /* parent= */ true);
    GrantedPart part = GrantFixture.inside(uid("outer"), GrantFixture.part(GPU, slice("3g.20gb")));
    NodeLedger child = holding(EMPTY, "a", grant("a", "n", part));
    NodeLedger both = holding(child, "outer", GrantFixture.grant(uid("outer"), "n", parent));

    assertThat(charge(both)).isEqualTo(QuotaCharge.NONE);
    assertThat(DeviceCharges.of(both, uid("outer"))).hasValue(new QuotaCharge(1000, 40 * GIB));
    assertThat(charge(child)).isEqualTo(new QuotaCharge(500, 20 * GIB));
  }

  @Test
  void whatIsUnknownCountsAGpuOfUnknownMemory() {
    QuotaCharge lost = charge(GrantFixture.part("GPU-lost", slice("1g.5gb")));
    NodeLedger unreadable =
        EMPTY.observed(uid("a"), new NodeLedger.Unreadable(ref("a"), "not JSON"));

    assertThat(lost).isEqualTo(new QuotaCharge(1000, 0, 1));
    assertThat(lost.sized(80)).isEqualTo(new QuotaCharge(1000, 80));
    assertThat(charge(unreadable)).isEqualTo(lost);
  }

  @Test
  void aPartCountsAtMostAGpuHoweverLittleMemoryItsNodeReports() {
    NodeLedger small =
        NodeLedger.of(
            NodeFixture.like(QuotaWorld.inventory("n", 1))
                .each(gpu -> new Gpu.Builder(gpu.uuid(), 0, gpu.model(), 1).build())
                .inventory());
    Grant grant = grant("a", "n", GrantFixture.part(GPU, new Part.Share(10 * GIB, 100)));

    assertThat(charge(holding(small, "a", grant))).isEqualTo(new QuotaCharge(1000, 10 * GIB));
  }

  @Test
  void theDeviceOfAWriteThatHasLandedCountsOnceAndAnotherOneToo() {
    Grant grant = grant("a", "n", GrantedPart.whole(GPU));
    NodeLedger written = EMPTY.committed(ref("a"), grant, OWNER);

    assertThat(charge(written)).isEqualTo(new QuotaCharge(1000, 40 * GIB));
    assertThat(charge(holding(written, "a", grant))).isEqualTo(new QuotaCharge(1000, 40 * GIB));
    assertThat(charge(holding(written, "a", grant("a", "n", GrantedPart.whole(gpu("n", 1))))))
        .isEqualTo(new QuotaCharge(2000, 80 * GIB));
  }
}
