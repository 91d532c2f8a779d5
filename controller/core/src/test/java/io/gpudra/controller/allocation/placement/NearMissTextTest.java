package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.A30;
import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.model;
import static io.gpudra.crds.testing.GpuModels.profile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said to be missing for claims that want more than a number of whole GPUs. */
class NearMissTextTest {
  private static final DeviceKind ANY_SHARE = new DeviceKind.Share(1, 0, 100);

  private static DeviceSubRequest named(String name, DeviceSubRequest subRequest) {
    return new DeviceSubRequest(
        Optional.of(name),
        subRequest.count(),
        subRequest.all(),
        subRequest.kind(),
        subRequest.devicePredicate(),
        subRequest.sharing());
  }

  /** Such as no GPU is. */
  private static DeviceSubRequest never(DeviceKind kind, String condition) {
    return Worlds.wish(1, kind, new Among(0, condition));
  }

  private static DeviceSubRequest computing(int gib, int millicores, int count) {
    return Worlds.wish(count, new DeviceKind.Share(gib * GpuModels.GIB, millicores, 100));
  }

  static Stream<Arguments> shares() {
    return Stream.of(
        arguments(
            a100s(2), never(ANY_SHARE, "memory >= 80Gi"), "none of 2 GPUs matches memory >= 80Gi"),
        arguments(a100s(2), never(ANY_SHARE, ""), "none of 2 GPUs can be allocated"),
        arguments(
            after(a100s(1), claim("x", computing(10, 600, 1))),
            computing(30, 500, 1),
            "no GPU has 500 millicores left, or it has too many shares"),
        arguments(
            after(a100s(2), claim("x", share(10, 1))),
            share(35, 2),
            "35Gi left on 1 of 2 wanted GPUs"),
        arguments(
            after(a100s(2), claim("x", computing(10, 600, 1))),
            computing(30, 500, 2),
            "fewer than 2 GPUs have 500 millicores left, or they have too many shares"));
  }

  static Stream<Arguments> migDevices() {
    Gpu t4 = gpu(0, model("T4", 16), MigState.of(MigMode.UNSUPPORTED));
    DeviceSubRequest unknown = mig("1g.12gb", 1);
    return Stream.of(
        arguments(
            node(ImmutableList.of(t4)), unknown, "no GPU of the node can be cut into MIG devices"),
        arguments(
            node(ImmutableList.of(gpu(0, A100, cuttable()), gpu(1, A30, cuttable()))),
            unknown,
            "no GPU offers 1g.12gb; offered: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb,"
                + " 7g.40gb, 1g, 1g+me, 2g, 3g, 4g"),
        arguments(
            node(
                ImmutableList.of(
                    gpu(0, A100, cuttable()),
                    gpu(1, A30, cuttable()),
                    gpu(2, model("B", 16, profile("8g", 1, 1, 1, 0)), cuttable()))),
            unknown,
            "no GPU offers 1g.12gb"),
        arguments(
            a100s(2),
            never(new DeviceKind.Mig(Optional.of("1g.5gb")), "device.index > 7"),
            "no MIG device matches device.index > 7"),
        arguments(
            after(a100s(2), claim("x", mig("7g.40gb", 1)), claim("y", mig("3g.20gb", 1))),
            mig("7g.40gb", 1),
            "7g.40gb fits on no GPU: gpu-1 has 4 free memory slices, the most of 2 GPUs"));
  }

  /** Of an H100 no profiles are known before its mode is on; that of an A100 the plugin leaves. */
  static Stream<Arguments> migModeOff() {
    Gpu hopper = gpu(1, model("H100", 80), cuttable());
    Gpu off = gpu(2, A100, MigState.of(MigMode.DISABLED));
    Gpu alsoOff = gpu(3, A100, MigState.of(MigMode.DISABLED));
    String byAdministrator =
        " (an administrator switches it on: nvidia-smi -i N -mig 1, then nvidia-smi --gpu-reset"
            + " -i N)";
    DeviceSubRequest unknown = mig("1g.12gb", 1);
    return Stream.of(
        arguments(
            node(ImmutableList.of(hopper)),
            unknown,
            "no GPU of the node can be cut into MIG devices; MIG mode is off on gpu-1"
                + byAdministrator),
        arguments(
            node(
                ImmutableList.of(
                    gpu(0, model("B", 16, profile("8g", 1, 1, 1, 0)), cuttable()), hopper)),
            unknown,
            "no GPU offers 1g.12gb; offered: 8g; MIG mode is off on gpu-1" + byAdministrator),
        arguments(
            node(ImmutableList.of(off, alsoOff)),
            mig("1g.5gb", 1),
            "1g.5gb fits on no GPU: MIG mode is off on 2 GPUs" + byAdministrator),
        arguments(
            after(node(ImmutableList.of(off, gpu(4, A100, cuttable()))), claim("x", whole(2))),
            mig("1g.5gb", 1),
            "1g.5gb fits on no GPU: MIG mode is off on gpu-2"
                + byAdministrator
                + ", gpu-4 in use whole"));
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        arguments(
            a100s(2),
            named("big", mig("1g.5gb", 20)),
            "request big: room for 14 of 20 wanted 1g.5gb"));
  }

  @ParameterizedTest
  @MethodSource({"shares", "migDevices", "migModeOff", "requests"})
  void saysWhatIsMissing(NodeLedger ledger, DeviceSubRequest subRequest, String text) {
    assertThat(text(place(ledger, claim("a", subRequest)), "a")).isEqualTo(text);
  }

  @Test
  void requestsOfAClaimThatFitAloneOnlyAreToldSo() {
    assertThat(text(place(a100s(2), claim("a", whole(2), mig("1g.5gb", 1))), "a"))
        .isEqualTo("each request fits alone, but not all of them together");
  }

  @ParameterizedTest
  @CsvSource({"1024, 1024, x", "1025, 1024, …"})
  void aTextIsCutWhereItIsTooLong(int characters, int said, String end) {
    int rest = characters - "none of 2 GPUs matches ".length();
    ClaimRequest wordy = claim("a", never(ANY_SHARE, Strings.repeat("x", rest)));

    assertThat(text(place(a100s(2), wordy), "a")).hasSize(said).endsWith(end);
  }

  @Test
  void anAnswerIsInTheWordsOfTheNodeThatItIsGivenFor() {
    Placement.DoesNotFit one =
        (Placement.DoesNotFit) place(a100s(1), claim("a", mig("1g.5gb", 20)));

    assertThat(one.on(a100s(2)).reasons().values())
        .extracting(reason -> reason.text(new NamespaceAudience("team")))
        .containsExactly("room for 14 of 20 wanted 1g.5gb");
  }

  @Test
  void eachGpuThatCouldBeCutMakesTheMissNearer() {
    ClaimRequest many = claim("a", mig("1g.5gb", 40));

    assertThat(shortfall(a100s(3), many)).isEqualTo(shortfall(a100s(1), many) - 14);
  }

  @Test
  void whereNoGpuIsConnectedAllThatIsWantedIsMissing() {
    NodeLedger none = node(ImmutableList.<Gpu>of());
    ClaimRequest four = claim("a", Worlds.alternative(Worlds.NVLINK, whole(4)));

    assertThat(shortfall(none, four)).isEqualTo(shortfall(none, claim("a", mig("1g.5gb", 4))));
  }

  private static int shortfall(NodeLedger ledger, ClaimRequest claim) {
    return Worlds.reason(place(ledger, claim), "a").shortfall();
  }

  @Test
  void aConnectionThatIsOnlyPreferredIsNotMissing() {
    DeviceConstraints preferred =
        new DeviceConstraints(
            Optional.of(new DeviceConstraints.Linked(DeviceConstraints.Connection.NVLINK, false)),
            ImmutableSet.of());
    ClaimRequest three = claim("a", Worlds.alternative(preferred, whole(3)));

    assertThat(shortfall(a100s(2), three)).isEqualTo(shortfall(a100s(2), claim("a", mig("8g", 1))));
  }

  @Test
  void connectedGpusThatAreTooManyToFindAreAllMissing() {
    SearchBudget scarce = new SearchBudget();
    scarce.spend(1_995_000);

    assertThat(missing(new SearchBudget())).isEqualTo(1);
    assertThat(missing(scarce)).isEqualTo(7);
  }

  @Test
  void whatTheLastSearchSpentIsNotMissing() {
    SearchBudget spent = new SearchBudget();
    spent.nextNode();
    spent.spend(199_000);

    assertThat(missing(spent)).isEqualTo(1);
  }

  /** Of seven connected GPUs, none of them the first or the second. */
  private static int missing(SearchBudget budget) {
    Inventory forged = Worlds.linkedInTooManyWays(18);
    ClaimRequest seven = claim("a", Worlds.alternative(Worlds.NVLINK, whole(7, ~0b11)));
    SearchProblem problem = SearchProblem.of(NodeLedger.of(forged), ImmutableList.of(seven));
    return new PartitionShortage.Missing(forged, problem.candidateIndex(), budget).of(seven);
  }

  @Test
  void connectedGpusThatAreTooManyToCountAreNotCounted() {
    NodeLedger ledger =
        after(
            NodeLedger.of(Worlds.linkedInTooManyWays(24)),
            claim("x", whole(1, /* gpus= */ 1 << 21)));
    ClaimRequest nine = claim("a", Worlds.alternative(Worlds.NVLINK, whole(9)));

    assertThat(
            new PartitionShortage(Kind.NOT_CONNECTED, ledger, nine, ImmutableList.of(nine), 1)
                .text(new NamespaceAudience("team")))
        .isEqualTo("too many combinations to tell how many of 23 free GPUs are NVLink-connected");
  }

  @Test
  void aRequestThatIsTooHardToDecideIsNotToldToFail() {
    ClaimRequest one = claim("a", named("one", whole(1)));
    SearchBudget none = new SearchBudget();
    none.asks(20_000);

    assertThat(
            new NearMissText(
                    SearchProblem.of(a100s(2), ImmutableList.of(one)),
                    one,
                    one.alternatives().get(0),
                    none)
                .text())
        .isEqualTo("request one: too many combinations to decide");
  }

  @Test
  void whatIsNotMissingAnyMoreIsToldSo() {
    NodeRefusal no =
        (NodeRefusal)
            Worlds.reason(
                place(after(a100s(1), claim("x", whole(1))), claim("a", mig("1g.5gb", 1))), "a");
    assertThat(no.kind().label()).isEqualTo("noRoom");

    assertThat(no.on(a100s(1)).text(new NamespaceAudience("team"))).isEqualTo("has room by now");
  }
}
