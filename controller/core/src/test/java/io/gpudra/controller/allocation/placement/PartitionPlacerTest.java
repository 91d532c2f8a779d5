package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.NVLINK;
import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.link;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.reason;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.controller.allocation.placement.Worlds.wish;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.model;
import static io.gpudra.crds.testing.GpuModels.profile;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which parts of which GPUs claims get, and what they are told if none. */
class PartitionPlacerTest {

  @Test
  void aMigDeviceIsMadeWhereItKeepsMostRoomForLargeOnes() {
    NodeLedger oneTaken = after(a100s(2), claim("a", mig("3g.20gb", 1)));
    assertThat(names(place(oneTaken, claim("b", mig("1g.5gb", 1))), "b"))
        .containsExactly("gpu-0-mig-1g.5gb-0");
    assertThat(names(place(a100s(1), claim("b", mig("1g.5gb", 1))), "b"))
        .containsExactly("gpu-0-mig-1g.5gb-6");
  }

  @Test
  void aNodeIsCutToTheLastSlice() {
    NodeLedger eight = a100s(8);
    assertThat(names(place(eight, claim("a", mig("1g.5gb", 56))), "a")).hasSize(56);
    assertThat(text(place(eight, claim("a", mig("1g.5gb", 57))), "a"))
        .isEqualTo("room for 56 of 57 wanted 1g.5gb");
    assertThat(names(place(eight, fullMix(16)), "a")).hasSize(32);
    assertThat(place(eight, fullMix(17))).isInstanceOf(Placement.DoesNotFit.class);
  }

  private static ClaimRequest fullMix(int smallest) {
    return claim("a", mig("3g.20gb", 8), mig("2g.10gb", 8), mig("1g.5gb", smallest));
  }

  @Test
  void productsThatCallTheirSlicesAlikeAreEachCutInTheirOwnWay() {
    GpuModel larger =
        model(
            "A100",
            80,
            profile("1g.10gb", 1, 1, 7, 0, 1, 2, 3, 4, 5, 6),
            profile("7g.80gb", 7, 8, 1, 0));
    ImmutableList<GpuModel> both = ImmutableList.of(A100, larger);
    for (ImmutableList<GpuModel> models : ImmutableList.of(both, both.reverse())) {
      NodeLedger mixed =
          node(
              ImmutableList.of(
                  gpu(0, models.get(0), cuttable()), gpu(1, models.get(1), cuttable())));
      assertThat(names(place(mixed, claim("a", mig("1g.10gb", 11))), "a")).hasSize(11);
      assertThat(text(place(mixed, claim("a", mig("1g.10gb", 12))), "a"))
          .isEqualTo("room for 11 of 12 wanted 1g.10gb");
    }
  }

  @Test
  void aWholeGpuIsNotCutAndACutOneNotGrantedWhole() {
    NodeLedger taken = after(a100s(2), claim("w", whole(1)), claim("m", mig("1g.5gb", 1)));
    assertThat(place(taken, claim("x", whole(1)))).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(text(place(taken, claim("x", mig("7g.40gb", 1))), "x"))
        .isEqualTo("7g.40gb fits on no GPU: gpu-0 in use whole, gpu-1 has 7 free memory slices");
    assertThat(text(place(taken, claim("x", share(1, 1))), "x"))
        .isEqualTo("all 2 matching GPUs are in use whole or cut into MIG devices");
  }

  @Test
  void sharesFillTheFullestGpuThatTakesThem() {
    NodeLedger taken = after(a100s(2), claim("a", share(10, 1)));
    assertThat(names(place(taken, claim("b", share(30, 1))), "b")).containsExactly("gpu-0");
    assertThat(names(place(taken, claim("b", share(31, 1))), "b")).containsExactly("gpu-1");
    ClaimRequest spread =
        claim("b", AllocationPolicy.SPREAD, alternative(DeviceConstraints.ANYHOW, share(1, 1)));
    assertThat(names(place(taken, spread), "b")).containsExactly("gpu-1");
    assertThat(names(place(taken, claim("b", share(1, 2))), "b")).containsExactly("gpu-0", "gpu-1");
  }

  @Test
  void sharesThatTakeTurnsOtherwiseAreToldSo() {
    NodeLedger taken = after(a100s(1), claim("a", slow(10)));
    assertThat(names(place(taken, claim("b", slow(30))), "b")).containsExactly("gpu-0");
    assertThat(text(place(taken, claim("b", share(10, 1))), "b"))
        .isEqualTo("gpu-0 is shared with TimeSlicing Long, the claim wants TimeSlicing Default");
    assertThat(text(place(taken, claim("b", slow(31))), "b"))
        .isEqualTo("needs 31Gi, the most that is left of one GPU is 30Gi (gpu-0)");
  }

  private static DeviceSubRequest slow(int gib) {
    return new DeviceSubRequest(
        Optional.empty(),
        1,
        /* all= */ false,
        new DeviceKind.Share(gib * GpuModels.GIB, 0, 100),
        Among.EVERY,
        new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG));
  }

  @Test
  void anAlternativeIsTakenWhenTheOnesBeforeItDoNotFit() {
    ClaimRequest either =
        claim(
            "a",
            alternative(DeviceConstraints.ANYHOW, whole(2)),
            alternative(DeviceConstraints.ANYHOW, mig("3g.20gb", 2)));
    assertThat(names(place(a100s(2), either), "a")).containsExactly("gpu-0", "gpu-1");
    assertThat(names(place(a100s(1), either), "a"))
        .containsExactly("gpu-0-mig-3g.20gb-0", "gpu-0-mig-3g.20gb-4");
    assertThat(text(place(after(a100s(1), claim("w", whole(1))), either), "a"))
        .isEqualTo(
            "alternative 1: 0 of 1 matching GPUs free, 2 wanted;"
                + " alternative 2: 3g.20gb fits on no GPU: gpu-0 in use whole");
  }

  @Test
  void theClaimThatComesFirstByNameHasItsFirstChoice() {
    RequestAlternative first = alternative(DeviceConstraints.ANYHOW, whole(1, 0b01));
    RequestAlternative second = alternative(DeviceConstraints.ANYHOW, whole(1, 0b10));
    ClaimRequest a = Worlds.known("uid-9", claim("a", first, second));
    ClaimRequest b = Worlds.known("uid-1", claim("b", first, second));

    assertThat(((Placement.Fits) place(a100s(2), a, b)).devices().get(a.uid()))
        .extracting(GrantedDevice::name)
        .containsExactly("gpu-0");
  }

  @Test
  void gpusOfAClaimAreConnectedIfItSaysSo() {
    NodeLedger mesh =
        node(gpus(4), link("GPU-0", "GPU-1"), link("GPU-2", "GPU-3"), link("GPU-1", "GPU-2"));
    ClaimRequest two = claim("a", alternative(NVLINK, whole(2)));
    assertThat(names(place(mesh, two), "a")).containsExactly("gpu-0", "gpu-1");
    assertThat(names(place(after(mesh, claim("w", whole(1))), two), "a"))
        .containsExactly("gpu-1", "gpu-2");
    Placement three = place(mesh, claim("a", alternative(NVLINK, whole(3))));
    assertThat(text(three, "a")).isEqualTo("2 of 4 free GPUs are NVLink-connected");
    assertThat(reason(three, "a").kind().event()).contains("TopologyUnsatisfied");
    assertThat(reason(three, "a").kind().lasting()).isTrue();
    DeviceConstraints preferred =
        new DeviceConstraints(
            Optional.of(new DeviceConstraints.Linked(DeviceConstraints.Connection.NVLINK, false)),
            ImmutableSet.of());
    assertThat(names(place(mesh, claim("a", alternative(preferred, whole(3)))), "a")).hasSize(3);
  }

  @Test
  void aNodeWithRoomForSomeIsANearerMissThanOneThatOffersNoneOfTheKind() {
    ClaimRequest eight = claim("a", mig("1g.5gb", 8));
    ClaimRequest unknown = claim("a", mig("1g.12gb", 8));
    assertThat(reason(place(a100s(1), eight), "a").shortfall())
        .isLessThan(reason(place(a100s(1), unknown), "a").shortfall());
  }

  @Test
  void aNodeOfUnconnectedGpusIsANearerMissThanOneWithoutGpusOfTheKind() {
    NodeLedger unconnected = node(gpus(4));
    ClaimRequest two = claim("a", alternative(NVLINK, whole(2)));
    ClaimRequest others = claim("a", alternative(NVLINK, whole(2, 0)));
    assertThat(reason(place(unconnected, two), "a").shortfall())
        .isLessThan(reason(place(unconnected, others), "a").shortfall());
  }

  @Test
  void theMoreGpusAreConnectedTheNearerIsTheMiss() {
    ClaimRequest four = claim("a", alternative(NVLINK, whole(4)));
    NodeLedger pairs = node(gpus(4), link("GPU-0", "GPU-1"), link("GPU-2", "GPU-3"));
    assertThat(reason(place(pairs, four), "a").shortfall())
        .isLessThan(reason(place(node(gpus(8)), four), "a").shortfall());
  }

  @Test
  void ofSeveralRequestsAllThatIsMissingCounts() {
    ClaimRequest both =
        claim("a", alternative(DeviceConstraints.ANYHOW, whole(7, 0b1111), whole(2, 0)));
    ClaimRequest one =
        claim("a", alternative(DeviceConstraints.ANYHOW, whole(5, 0b1111), whole(2)));
    assertThat(reason(place(node(gpus(8)), one), "a").shortfall() + 4)
        .isEqualTo(reason(place(node(gpus(8)), both), "a").shortfall());
  }

  @Test
  void gpusThatAreConnectedButInUseAreWaitedFor() {
    NodeLedger pairs = node(gpus(4), link("GPU-0", "GPU-1"), link("GPU-2", "GPU-3"));
    NodeLedger oneOfEach = after(after(pairs, on(0)), on(2));
    ClaimRequest two = claim("a", alternative(NVLINK, whole(2)));
    assertThat(reason(place(oneOfEach, two), "a").kind().event()).contains("TopologyUnsatisfied");
    assertThat(reason(place(oneOfEach, two), "a").kind().lasting()).isFalse();
    NodeLedger oneLeft = after(oneOfEach, on(1));
    assertThat(reason(place(oneLeft, two), "a").kind().event()).isEmpty();
  }

  private static ClaimRequest on(int gpu) {
    return claim("on-" + gpu, whole(1, 1L << gpu));
  }

  private static ImmutableList<Gpu> gpus(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> gpu(i, A100, cuttable()))
        .collect(ImmutableList.toImmutableList());
  }

  @Test
  void migDevicesOfAClaimAreOfOneGpuIfItSaysSo() {
    DeviceConstraints oneGpu =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PARENT_UUID));
    NodeLedger taken = after(a100s(2), claim("w", mig("4g.20gb", 1)));
    assertThat(names(place(taken, claim("a", alternative(oneGpu, mig("2g.10gb", 3)))), "a"))
        .allMatch(name -> name.startsWith("gpu-1-"));
    assertThat(text(place(taken, claim("a", alternative(oneGpu, mig("2g.10gb", 4)))), "a"))
        .isEqualTo("no devices that agree in parentUUID are left");
  }

  @Test
  void staticMigDevicesComeFirstAndForeignOnesAreInTheWay() {
    MigState cut =
        new MigState(
            MigMode.ENABLED,
            /* switchable= */ false,
            ImmutableList.of(found("3g.20gb", 0, false), found("2g.10gb", 4, true)));
    NodeLedger node = node(ImmutableList.of(gpu(0, A100, cut)));
    assertThat(names(place(node, claim("a", mig("3g.20gb", 1))), "a"))
        .containsExactly("gpu-0-mig-3g.20gb-0");
    assertThat(text(place(node, claim("a", mig("2g.10gb", 1))), "a"))
        .isEqualTo("2g.10gb fits on no GPU: gpu-0 has 2 free memory slices but not side by side");
    assertThat(text(place(node, claim("a", whole(1), share(1, 1))), "a"))
        .isEqualTo("0 of 1 matching GPUs free, 1 wanted");
    assertThat(text(place(node, claim("a", whole(1))), "a"))
        .isEqualTo("1 GPU, 1 cut into MIG devices of others");
  }

  @Test
  void anyMigDeviceIsTheSmallest() {
    assertThat(
            names(place(a100s(1), claim("a", wish(1, new DeviceKind.Mig(Optional.empty())))), "a"))
        .containsExactly("gpu-0-mig-1g.5gb-6");
  }

  @Test
  void allOfANodeAreAllOrNone() {
    DeviceSubRequest all =
        new DeviceSubRequest(
            Optional.empty(),
            1,
            /* all= */ true,
            new DeviceKind.Whole(),
            new Among(0b101),
            SharingStrategy.NONE);
    assertThat(names(place(a100s(3), claim("a", all)), "a")).containsExactly("gpu-0", "gpu-2");
    assertThat(text(place(after(a100s(3), claim("w", share(1, 1))), claim("a", all)), "a"))
        .isEqualTo("1 of 2 matching GPUs free, all wanted");
  }

  @Test
  void aProfileThatNoGpuOffersIsToldWithThoseThatAreOffered() {
    assertThat(text(place(a100s(1), claim("a", mig("1g.12gb", 1))), "a"))
        .isEqualTo(
            "no GPU offers 1g.12gb; offered: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, 3g.20gb,"
                + " 4g.20gb, 7g.40gb");
  }

  @Test
  void whatTakesTooLongToDecideIsToldSo() {
    assertThat(Worlds.reason(place(a100s(8), hard()), "c0").kind().label())
        .isEqualTo("tooManyCombinations");
  }

  private static ClaimRequest[] hard() {
    return IntStream.range(0, 12)
        .mapToObj(
            i ->
                claim(
                    "c" + i,
                    IntStream.range(1, 9)
                        .mapToObj(k -> alternative(DeviceConstraints.ANYHOW, share(40 - i, k)))
                        .toArray(RequestAlternative[]::new)))
        .toArray(ClaimRequest[]::new);
  }

  @Test
  void aPluginThatKnowsWholeGpusOnlyGetsNoParts() {
    NodeLedger old = NodeLedger.of(Worlds.readingFormat(1, a100s(1).inventory()));
    assertThat(names(place(old, claim("a", whole(1))), "a")).containsExactly("gpu-0");
    assertThat(text(place(old, claim("a", mig("1g.5gb", 1))), "a"))
        .isEqualTo(
            "the node's plugin supports only whole GPUs without settings; a newer version is"
                + " needed");
    assertThat(Worlds.reason(place(old, claim("a", slow(1))), "a").kind().phrase())
        .isEqualTo("plugin too old for what is wanted");
  }

  @Test
  void aPassOverManyNodesHasOneBudget() {
    SearchBudget budget = new SearchBudget();
    ClaimRequest[] hard = hard();
    for (int node = 0; node < 10; node++) {
      assertThat(PodPlacer.place(a100s(8), Worlds.pod(hard), budget))
          .isInstanceOf(Placement.DoesNotFit.class);
    }
    Placement easy = PodPlacer.place(a100s(1), Worlds.pod(claim("a", mig("1g.5gb", 1))), budget);
    assertThat(Worlds.reason(easy, "a").kind().label()).isEqualTo("tooManyCombinations");
  }

  @Test
  void aGpuWhoseModeNeedNotBeSwitchedComesFirst() {
    NodeLedger ledger =
        Worlds.node(
            ImmutableList.of(
                Worlds.gpu(0, GpuModels.A100, GpuModels.cuttable()),
                Worlds.gpu(
                    1, GpuModels.A100, new MigState(MigMode.ENABLED, true, ImmutableList.of()))));
    assertThat(names(place(ledger, claim("a", mig("1g.5gb", 1))), "a"))
        .containsExactly("gpu-1-mig-1g.5gb-6");
  }

  @Test
  void aWholeGpuIsOneWhoseModeNeedNotBeSwitchedIfThereIsOne() {
    MigState on = new MigState(MigMode.ENABLED, true, ImmutableList.of());
    NodeLedger ledger =
        Worlds.node(
            ImmutableList.of(
                Worlds.gpu(0, GpuModels.A100, on),
                Worlds.gpu(1, GpuModels.A100, GpuModels.cuttable())));
    assertThat(names(place(ledger, claim("a", whole(1))), "a")).containsExactly("gpu-1");
    assertThat(names(place(ledger, claim("a", whole(2))), "a")).containsExactly("gpu-0", "gpu-1");
    NodeLedger reversed =
        Worlds.node(
            ImmutableList.of(
                Worlds.gpu(0, GpuModels.A100, GpuModels.cuttable()),
                Worlds.gpu(1, GpuModels.A100, on)));
    assertThat(names(place(reversed, claim("a", whole(1))), "a")).containsExactly("gpu-0");
  }
}
