package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.reason;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a pod makes its conditions be evaluated when each device must be. */
class ConditionEffortTest {
  private static final int NODES = 20;
  private static final int MANY_NODES = 100;
  private static final int OF_A_PASS = 2_000_000 / 25;

  private final AtomicInteger judgements = new AtomicInteger();

  /** Such as reads the name of a device. */
  private record Naming(int number, AtomicInteger judgements) implements FixedPredicate {

    @Override
    public boolean differsBetweenPlaces() {
      return true;
    }

    @Override
    public boolean differsBetweenNodes() {
      return true;
    }

    @Override
    public long matching(Inventory inventory) {
      judgements.addAndGet(inventory.gpus().size());
      return FixedPredicate.all(inventory);
    }

    @Override
    public boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
      judgements.incrementAndGet();
      return true;
    }
  }

  /** Such as has the same result for all GPUs of one index. */
  private record Dear(int number, AtomicInteger judgements) implements FixedPredicate {

    @Override
    public int steps() {
      return 16 * STEPS_APART;
    }

    @Override
    public long matching(Inventory inventory) {
      judgements.addAndGet(inventory.gpus().size());
      return FixedPredicate.all(inventory);
    }
  }

  private PodRequest pod(int claims) {
    return new PodRequest(
        IntStream.range(0, claims).mapToObj(this::claim).collect(toImmutableList()));
  }

  /** More than there are, so that all alternatives are looked at. */
  private ClaimRequest claim(int claim) {
    return claim(claim, DeviceConstraints.ANYHOW);
  }

  private ClaimRequest claim(int claim, DeviceConstraints constraints) {
    return Worlds.claim(
        "c" + claim,
        IntStream.range(0, 8)
            .mapToObj(
                number ->
                    Worlds.alternative(
                        constraints,
                        wish(57, new DeviceKind.Mig(Optional.of("1g.5gb")), 8 * claim + number)))
            .toArray(RequestAlternative[]::new));
  }

  private DeviceSubRequest wish(int count, DeviceKind kind, int number) {
    return Worlds.wish(count, kind, new Naming(number, judgements));
  }

  private PodRequest pod(int claims, DeviceKind kind) {
    return new PodRequest(
        IntStream.range(0, claims)
            .mapToObj(number -> Worlds.claim("c" + number, wish(9, kind, number)))
            .collect(toImmutableList()));
  }

  /** Of as many GPUs, each cut into seven MIG devices. */
  private static NodeLedger cut(int gpus) {
    MigState seven =
        enabled()
            .with(
                IntStream.range(0, 7)
                    .mapToObj(start -> found("1g.5gb", start, /* foreign= */ false))
                    .collect(toImmutableList()));
    return Worlds.node(
        IntStream.range(0, gpus)
            .mapToObj(i -> Worlds.gpu(i, GpuModels.A100, seven))
            .collect(toImmutableList()));
  }

  @Test
  void aPassOverManyNodesEvaluatesSoManyDevices() {
    SearchBudget budget = new SearchBudget();
    PodRequest pod = pod(64);
    for (int node = 0; node < NODES; node++) {
      assertThat(PodPlacer.refusal(Worlds.a100s(8), pod, budget)).isPresent();
    }

    assertThat(judgements).hasValueBetween(OF_A_PASS / 2, OF_A_PASS);
    assertThat(budget.isOver()).isTrue();
  }

  @Test
  void aConditionIsEvaluatedOnceForAllSetsOfDevicesThatAgree() {
    DeviceConstraints onOneGpu =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PARENT_UUID));
    PodRequest pod = new PodRequest(ImmutableList.of(claim(0, onOneGpu)));
    assertThat(PodPlacer.refusal(Worlds.a100s(8), pod, new SearchBudget())).isPresent();

    assertThat(judgements).hasValue(8 * 56);
  }

  @Test
  void aConditionIsPaidForOnceForEachNode() {
    SearchBudget budget = new SearchBudget();
    for (int node = 0; node < MANY_NODES; node++) {
      assertThat(PodPlacer.refusal(Worlds.a100s(8), pod(1), budget)).isPresent();
    }

    assertThat(judgements).hasValue(MANY_NODES * 8 * 56);
    assertThat(budget.isOver()).isFalse();
  }

  @Test
  void aConditionIsEvaluatedOnceOnAMigDeviceThatIsThere() {
    NodeLedger used = after(cut(8), Worlds.claim("used", Worlds.mig("1g.5gb", 1)));
    SearchBudget budget = new SearchBudget();
    for (int node = 0; node < NODES; node++) {
      assertThat(PodPlacer.refusal(used, pod(1), budget)).isPresent();
    }

    assertThat(judgements).hasValue(NODES * 8 * (56 + 56));
    assertThat(budget.isOver()).isFalse();
  }

  /** The GPUs for each condition, or the other conditions, are more than are remembered. */
  @ParameterizedTest
  @ValueSource(ints = {0, 200})
  void aConditionThatWasPaidForIsNotForgotten(int plain) {
    DeviceConstraints onOneGpu =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PARENT_UUID));
    DeviceKind anyProfile = new DeviceKind.Mig(Optional.empty());
    DeviceSubRequest[] many =
        Stream.concat(
                IntStream.range(0, 32).mapToObj(number -> wish(1, anyProfile, number)),
                IntStream.range(0, plain)
                    .mapToObj(
                        number -> Worlds.wish(1, anyProfile, new Among(-1, "plain" + number))))
            .toArray(DeviceSubRequest[]::new);
    PodRequest pod =
        new PodRequest(ImmutableList.of(Worlds.claim("c0", Worlds.alternative(onOneGpu, many))));
    SearchBudget budget = new SearchBudget();
    for (int node = 0; node < NODES; node++) {
      PodPlacer.refusal(Worlds.a100s(8), pod, budget);
    }
    assertThat(judgements).hasValueLessThanOrEqualTo(OF_A_PASS);
  }

  @Test
  void aPassOverManyNodesThatAreCutEvaluatesSoManyDevices() {
    SearchBudget budget = new SearchBudget();
    PodRequest pod = pod(64);
    for (int node = 0; node < NODES; node++) {
      assertThat(PodPlacer.refusal(cut(8), pod, budget)).isPresent();
    }

    assertThat(judgements).hasValueBetween(OF_A_PASS / 2, OF_A_PASS);
    assertThat(budget.isOver()).isTrue();
  }

  @ParameterizedTest
  @MethodSource
  void aPassForGpusEvaluatesSoManyDevices(DeviceKind ofWhole) {
    SearchBudget budget = new SearchBudget();
    PodRequest pod = pod(64, ofWhole);
    for (int node = 0; node < 257; node++) {
      PodPlacer.refusal(Worlds.a100s(8), pod, budget);
    }

    assertThat(judgements).hasValueBetween(OF_A_PASS / 2, OF_A_PASS);
    assertThat(reason(PodPlacer.place(Worlds.a100s(8), pod, budget), "c0").kind())
        .isEqualTo(Kind.TOO_MANY_COMBINATIONS);
  }

  @ParameterizedTest
  @MethodSource("aPassForGpusEvaluatesSoManyDevices")
  void aDearConditionIsPaidForByItsSteps(DeviceKind ofWhole) {
    SearchBudget budget = new SearchBudget();
    PodRequest pod =
        new PodRequest(
            IntStream.range(0, 60)
                .mapToObj(
                    number ->
                        Worlds.claim(
                            "c" + number, Worlds.wish(9, ofWhole, new Dear(number, judgements))))
                .collect(toImmutableList()));
    for (int node = 0; node < 257; node++) {
      PodPlacer.refusal(Worlds.a100s(8), pod, budget);
    }

    assertThat(16 * judgements.get()).isBetween(OF_A_PASS / 2, OF_A_PASS);
  }

  @Test
  void aDearConditionIsEvaluatedOnceForExistingMigDevicesOfAProfile() {
    NodeLedger used = after(cut(8), Worlds.claim("used", Worlds.mig("1g.5gb", 1)));
    DeviceKind kind = new DeviceKind.Mig(Optional.of("1g.5gb"));
    PodRequest pod = Worlds.pod(Worlds.claim("c", Worlds.wish(57, kind, new Dear(0, judgements))));
    assertThat(PodPlacer.refusal(used, pod, new SearchBudget())).isPresent();

    assertThat(judgements).hasValue(8 + 8);
  }

  /** The number of GPUs that a claim lacks is told for all its alternatives. */
  @Test
  void aConditionIsEvaluatedOnceForWhatAClaimLacks() {
    RequestAlternative[] alternatives =
        IntStream.range(0, 8)
            .mapToObj(
                number ->
                    Worlds.alternative(
                        DeviceConstraints.ANYHOW,
                        Worlds.wish(9, new DeviceKind.Whole(), new Dear(number, judgements))))
            .toArray(RequestAlternative[]::new);
    PodRequest pod = Worlds.pod(Worlds.claim("c", alternatives));
    assertThat(PodPlacer.refusal(Worlds.a100s(8), pod, new SearchBudget())).isPresent();

    assertThat(judgements).hasValue(8 * 8);
  }

  static Stream<DeviceKind> aPassForGpusEvaluatesSoManyDevices() {
    return Stream.of(new DeviceKind.Whole(), new DeviceKind.MonitorAccess());
  }

  @Test
  void aPlainConditionCostsNothing() {
    SearchBudget budget = new SearchBudget();
    PodRequest pod = Worlds.pod(Worlds.claim("a", Worlds.whole(9)));

    assertThat(PodPlacer.refusal(Worlds.a100s(8), pod, budget)).isPresent();
    assertThat(budget.used()).isZero();
  }
}
