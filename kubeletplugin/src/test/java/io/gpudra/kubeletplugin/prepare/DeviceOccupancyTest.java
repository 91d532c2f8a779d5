package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.Parts.existing;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.Taints;
import io.gpudra.crds.usage.PartConflict;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import io.gpudra.kubeletplugin.prepare.ClaimState.Intended;
import io.gpudra.kubeletplugin.prepare.ClaimState.Prepared;
import io.gpudra.kubeletplugin.testing.Parts;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeviceOccupancyTest {

  private static final ClaimUid ME = new ClaimUid("me");
  private static final ClaimUid A = new ClaimUid("a");
  private static final ClaimUid B = new ClaimUid("b");
  private static final Gpu GPU = Parts.gpus(1).get(0);

  private static Holding holding(ClaimUid claim, GrantedDevice... devices) {
    return new Holding(
        new ClaimRef("team-a", claim.value()),
        GrantFixture.grant(claim, "worker-1", devices),
        ImmutableMap.of(),
        Optional.empty());
  }

  private static Optional<DeviceConflict> obstruction(
      ImmutableMap<ClaimUid, ClaimState> held, Gpu gpu, GrantedDevice... wanted) {
    return DeviceOccupancy.of(held).obstruction(gpu, ME, ImmutableList.copyOf(wanted));
  }

  private static ImmutableMap<ClaimUid, ClaimState> held(GrantedDevice ofA, GrantedDevice ofB) {
    return ImmutableMap.of(A, new Prepared(holding(A, ofA)), B, new Intended(holding(B, ofB)));
  }

  private static Gpu with(MigState.Device device) {
    return GPU.with(new MigState(MigMode.ENABLED, false, ImmutableList.of(device)));
  }

  private static MigState.Device found(boolean foreign) {
    return new MigState.Device("MIG-1", slice("1g.5gb", 3), Optional.empty(), foreign);
  }

  @Test
  void partsThatFitTogetherMayBeOfOneGpu() {
    assertThat(
            obstruction(held(mig(0, "1g.5gb", 0), mig(0, "3g.20gb", 4)), GPU, mig(0, "2g.10gb", 2)))
        .isEmpty();
    assertThat(obstruction(held(share(0, 10), share(0, 10)), GPU, share(0, 20))).isEmpty();
  }

  @Test
  void namesOnlyTheClaimThatIsInTheWay() {
    assertThat(
            obstruction(held(mig(0, "1g.5gb", 0), mig(0, "3g.20gb", 4)), GPU, mig(0, "2g.10gb", 4)))
        .contains(new DeviceConflict(PartConflict.SLICES_OVERLAP, ImmutableSet.of(B)));
  }

  @Test
  void namesAllWhenOnlyTheirSumIsTooMuch() {
    assertThat(obstruction(held(share(0, 15), share(0, 15)), GPU, share(0, 12)))
        .contains(new DeviceConflict(PartConflict.MEMORY, ImmutableSet.of(A, B)));
  }

  @Test
  void namesNobodyWhenAMigDeviceOfNoClaimIsInTheWay() {
    assertThat(obstruction(ImmutableMap.of(), with(found(true)), whole(0)))
        .contains(new DeviceConflict(PartConflict.OBSTRUCTED, ImmutableSet.of()));
    assertThat(obstruction(ImmutableMap.of(), with(found(false)), mig(0, "1g.5gb", 3)))
        .contains(new DeviceConflict(PartConflict.SLICES_OVERLAP, ImmutableSet.of()));
    assertThat(obstruction(ImmutableMap.of(), with(found(false)), existing(mig(0, "1g.5gb", 3))))
        .isEmpty();
  }

  @Test
  void aMigDeviceIsOfTheClaimThatHoldsItUnlessItWasThereBefore() {
    ImmutableMap<ClaimUid, ClaimState> made = held(mig(0, "1g.5gb", 3), mig(0, "1g.5gb", 0));
    ImmutableMap<ClaimUid, ClaimState> lent =
        held(existing(mig(0, "1g.5gb", 3)), mig(0, "1g.5gb", 0));

    assertThat(owner(made, false)).contains(A);
    assertThat(owner(made, true)).isEmpty();
    assertThat(owner(lent, false)).isEmpty();
  }

  @Test
  void halfAMigDeviceThatIsForNoClaimIsSomebodyElses() {
    Gpu half =
        with(GrantFixture.migDevice(MigState.Device.halfMade("GPU-0", 9), slice("1g.5gb", 3)));

    assertThat(foreign(held(mig(0, "1g.5gb", 3), mig(0, "1g.5gb", 0)), half)).isFalse();
    assertThat(foreign(ImmutableMap.of(), half)).isTrue();
    assertThat(foreign(ImmutableMap.of(), with(found(false)))).isFalse();
  }

  private static boolean foreign(ImmutableMap<ClaimUid, ClaimState> held, Gpu gpu) {
    return DeviceOccupancy.of(held).withOwners(gpu).mig().devices().get(0).foreign();
  }

  private static Optional<ClaimUid> owner(
      ImmutableMap<ClaimUid, ClaimState> held, boolean foreign) {
    return DeviceOccupancy.of(held).withOwners(with(found(foreign))).mig().devices().get(0).claim();
  }

  @Test
  void knowsWhatCanNeverBe() {
    assertThat(DeviceOccupancy.alone(GPU, ME, ImmutableList.of(mig(0, "1g.5gb", 0)))).isEmpty();
    assertThat(DeviceOccupancy.alone(GPU, ME, ImmutableList.of(share(0, 41))))
        .contains(PartConflict.MEMORY);
    assertThat(
            DeviceOccupancy.alone(
                GPU, ME, ImmutableList.of(mig(0, "3g.20gb", 4), mig(0, "1g.5gb", 5))))
        .contains(PartConflict.SLICES_OVERLAP);
  }

  @Test
  void ofOneGpuInstanceEachComputeInstanceIsOfWhoHoldsIt() {
    Slice left = within(slice("2g.10gb", 2), 0, 1);
    Slice right = within(slice("2g.10gb", 2), 1, 1);
    ImmutableMap<ClaimUid, ClaimState> both = held(Parts.of(0, left), Parts.of(0, right));

    assertThat(owner(both, left)).contains(A);
    assertThat(owner(both, right)).contains(B);
  }

  private static Optional<ClaimUid> owner(ImmutableMap<ClaimUid, ClaimState> held, Slice found) {
    Gpu gpu = with(GrantFixture.migDevice("MIG-1", found));
    return DeviceOccupancy.of(held).withOwners(gpu).mig().devices().get(0).claim();
  }

  @Test
  void aMigDeviceOfAClaimKeepsItsTaints() {
    DeviceTaint ecc = Taints.noSchedule("ecc", "ECC error");
    Gpu gpu = with(found(false).with(ImmutableList.of(ecc)));
    MigState.Device owned =
        DeviceOccupancy.of(held(mig(0, "1g.5gb", 3), mig(0, "1g.5gb", 0)))
            .withOwners(gpu)
            .mig()
            .devices()
            .get(0);

    assertThat(owned.claim()).contains(A);
    assertThat(owned.taints()).containsExactly(ecc);
  }

  @Test
  void aClaimIsNotInItsOwnWay() {
    assertThat(
            obstruction(
                ImmutableMap.of(ME, new Intended(holding(ME, whole(0)))), GPU, mig(0, "1g.5gb", 0)))
        .isEmpty();
  }
}
