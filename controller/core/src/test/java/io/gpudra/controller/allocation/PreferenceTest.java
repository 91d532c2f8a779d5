package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.gpu;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.model;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.uuid;
import static io.gpudra.controller.allocation.Samples.uuids;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.node.Gpu;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which of several devices that would do is taken. */
class PreferenceTest {

  private static final String NODE = "n";

  /** Two NUMA nodes of two GPUs; the first GPU of the second NUMA node is taken. */
  private static NodeLedger twoNumaNodes() {
    ImmutableList<Gpu> gpus =
        IntStream.range(0, 4)
            .mapToObj(i -> Samples.onNumaNode(gpu(NODE, i, model("A100", 40)), i / 2))
            .collect(ImmutableList.toImmutableList());
    return NodeLedger.of(inventory(NODE, gpus))
        .committed(Samples.ref("x"), Samples.grant("x", NODE, 2), Samples.OWNER);
  }

  private static ClaimRequest any(int count, AllocationPolicy policy) {
    return request("a", count, Among.EVERY, policy);
  }

  @Test
  void equalDevicesAreTakenByIndex() {
    Placement placement =
        PodPlacer.place(
            NodeLedger.of(inventory(NODE, 4)),
            pod(wants("a", 2), wants("b", 1)),
            new SearchBudget());

    assertThat(uuids(placement, "a")).containsExactly(uuid(NODE, 0), uuid(NODE, 1));
    assertThat(uuids(placement, "b")).containsExactly(uuid(NODE, 2));
  }

  @Test
  void packFillsTheNumaNodeInUse() {
    assertThat(
            uuids(
                PodPlacer.place(
                    twoNumaNodes(), pod(any(1, AllocationPolicy.PACK)), new SearchBudget()),
                "a"))
        .containsExactly(uuid(NODE, 3));
  }

  @Test
  void spreadAvoidsTheNumaNodeInUseAndItsOwnChoices() {
    assertThat(
            uuids(
                PodPlacer.place(
                    twoNumaNodes(), pod(any(2, AllocationPolicy.SPREAD)), new SearchBudget()),
                "a"))
        .containsExactly(uuid(NODE, 0), uuid(NODE, 1));
    assertThat(
            uuids(
                PodPlacer.place(
                    twoNumaNodes(), pod(any(1, AllocationPolicy.SPREAD)), new SearchBudget()),
                "a"))
        .containsExactly(uuid(NODE, 0));
  }

  @Test
  void spreadAvoidsItsOwnChoicesOnAnEmptyNode() {
    NodeLedger empty = NodeLedger.of(twoNumaNodes().inventory());

    assertThat(
            uuids(
                PodPlacer.place(empty, pod(any(2, AllocationPolicy.SPREAD)), new SearchBudget()),
                "a"))
        .containsExactly(uuid(NODE, 0), uuid(NODE, 2));
    assertThat(
            uuids(
                PodPlacer.place(empty, pod(any(3, AllocationPolicy.SPREAD)), new SearchBudget()),
                "a"))
        .containsExactlyInAnyOrder(uuid(NODE, 0), uuid(NODE, 1), uuid(NODE, 2));
  }

  @Test
  void smallGpusAreTakenBeforeLargeOnesWhereverTheyAre() {
    ImmutableList<Gpu> mixed =
        ImmutableList.of(
            gpu(NODE, 0, model("H100", 80)),
            gpu(NODE, 1, model("T4", 16)),
            gpu(NODE, 2, model("H100", 80)));

    assertThat(one(mixed)).containsExactly(uuid(NODE, 1));
    assertThat(one(mixed.subList(1, 3))).containsExactly(uuid(NODE, 1));
  }

  private static ImmutableList<String> one(ImmutableList<Gpu> gpus) {
    NodeLedger ledger = NodeLedger.of(inventory(NODE, gpus));
    return uuids(PodPlacer.place(ledger, pod(wants("a", 1)), new SearchBudget()), "a");
  }

  @Test
  void theMostConstrainedClaimChoosesFirst() {
    PodRequest request = pod(wants("a", 1), wants("b", 1, 0b1, "index 0"));
    Placement placement =
        PodPlacer.place(NodeLedger.of(inventory(NODE, 2)), request, new SearchBudget());

    assertThat(uuids(placement, "b")).containsExactly(uuid(NODE, 0));
    assertThat(uuids(placement, "a")).containsExactly(uuid(NODE, 1));
  }

  @Test
  void theSixtyFourthDeviceCanBeGranted() {
    NodeLedger node = NodeLedger.of(inventory(NODE, 64));

    assertThat(uuids(PodPlacer.place(node, pod(wants("a", 64)), new SearchBudget()), "a"))
        .hasSize(64);
    assertThat(
            Samples.reason(PodPlacer.place(node, pod(wants("a", 65)), new SearchBudget()), "a")
                .kind()
                .label())
        .isEqualTo("tooFewMatch");
  }

  /** Trying every order would not end. */
  @Test
  void thirtyThreeClaimsForThirtyTwoGpusAreRefusedWithoutTryingEveryOrder() {
    NodeLedger node = NodeLedger.of(inventory(NODE, 64));
    PodRequest request =
        pod(
            IntStream.range(0, 33)
                .mapToObj(i -> wants("claim-%02d".formatted(i), 1, 0xFFFF_FFFFL, "lower half"))
                .toArray(ClaimRequest[]::new));

    assertThat(
            Samples.reason(PodPlacer.place(node, request, new SearchBudget()), "claim-00")
                .kind()
                .label())
        .isEqualTo("notTogether");
  }
}
