package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A node that changes again and again, while claims wait that looked at it at different times. */
class OldLedgersTest {
  private static final long MEBI = 1 << 20;
  private static final int HOLDERS = 384;
  private static final int WAITING = 2_000;

  private final Ledgers ledgers = new Ledgers();

  @BeforeEach
  void aNodeThatManyUse() {
    ledgers.observe(inventory("n0", 8));
    for (int i = 0; i < HOLDERS; i++) {
      held(i);
    }
  }

  private void held(int holder) {
    Grant grant = Samples.grant("holder" + holder, "n0", holder % 8);
    ledgers.observe(ref("holder" + holder), uid("holder" + holder), Optional.of(grant));
  }

  private CommitResult.NoNode asked(String claim) {
    Among condition = new Among(-1, "condition " + claim);
    PodRequest alone = pod(request(claim, 8, condition, AllocationPolicy.PACK));
    return (CommitResult.NoNode) ledgers.commitBest(alone, OWNER, STAMP);
  }

  /** One of two claims more, in turn. */
  private void otherwise(int time) {
    int other = HOLDERS + (time + 1) % 2;
    held(HOLDERS + time % 2);
    ledgers.observe(ref("holder" + other), uid("holder" + other), Optional.empty());
  }

  @Test
  void whatANodeWasIsNotKeptByThoseWhoWait() {
    long before = LiveHeap.bytes();
    for (int claim = 0; claim < WAITING; claim++) {
      otherwise(claim);
      assertThat(asked("c" + claim).reasons()).containsOnlyKeys("n0");
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(8 * MEBI);
  }

  @Test
  void whatANodeWasIsNotKeptByThoseWhoAreToBeTold() {
    List<UnsuitableReason> told = new ArrayList<>();
    long before = LiveHeap.bytes();
    for (int claim = 0; claim < WAITING; claim++) {
      otherwise(claim);
      PodRequest nine = pod(wants("c" + claim, 9));
      UnsuitableReason no =
          reason(Samples.refusal(ledgers, "n0", nine, new SearchBudget()).orElseThrow(), nine);
      told.add(ledgers.kept("n0", no));
    }

    assertThat(told).hasSize(WAITING);
    assertThat(LiveHeap.bytes() - before).isLessThan(8 * MEBI);
  }

  private static UnsuitableReason reason(Placement.DoesNotFit no, PodRequest pod) {
    return requireNonNull(no.reasons().get(pod.claims().get(0).uid()));
  }

  static Stream<UnaryOperator<ClaimRequest>> kindsOfRequest() {
    DeviceConstraints alike =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PRODUCT_NAME));
    return Stream.of(
        plain -> plain,
        plain ->
            plain.with(
                ImmutableList.of(
                    new RequestAlternative(plain.alternatives().get(0).subRequests(), alike))));
  }

  @ParameterizedTest
  @MethodSource("kindsOfRequest")
  void neitherWhatAPodAskedNorTheNodeIsKeptByThoseWhoAreToBeTold(UnaryOperator<ClaimRequest> kind) {
    ledgers.observe(inventory("n0", 10));
    List<UnsuitableReason> told = new ArrayList<>();
    long before = LiveHeap.bytes();
    for (int time = 0; time < WAITING / 2; time++) {
      otherwise(time);
      String much = "x".repeat(10_000) + time;
      PodRequest both =
          pod(
              kind.apply(wants("a" + time, 2, -1, much + "a")),
              kind.apply(wants("b" + time, 2, -1, much + "b")));
      Placement.DoesNotFit no =
          Samples.refusal(ledgers, "n0", both, new SearchBudget()).orElseThrow();
      told.add(ledgers.kept("n0", reason(no, both)));
    }

    assertThat(told).allSatisfy(no -> assertThat(no.kind().label()).isEqualTo("notTogether"));
    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.REFUSALS.bytes() + 8 * MEBI);
  }

  @ParameterizedTest
  @MethodSource("kindsOfRequest")
  void howMuchIsKeptOfARequestIsKnown(UnaryOperator<ClaimRequest> kind) {
    PodRequest nine = pod(kind.apply(wants("a", 9, -1, "x".repeat(10_000))));
    Placement.DoesNotFit no =
        Samples.refusal(ledgers, "n0", nine, new SearchBudget()).orElseThrow();

    assertThat(ledgers.kept("n0", reason(no, nine)).bytes()).isEqualTo(RequestSize.of(nine));
  }

  @Test
  void whoIsToldLateIsToldOfTheNodeAsItIs() {
    UnsuitableReason no = requireNonNull(asked("a").reasons().get("n0"));
    String before = no.text(Samples.READER);
    for (int i = 0; i < HOLDERS; i++) {
      ledgers.observe(ref("holder" + i), uid("holder" + i), Optional.empty());
    }

    assertThat(before).startsWith("8 of 8 GPUs match condition a, all granted to ");
    assertThat(no.text(Samples.READER)).isEqualTo("has room by now");
    assertThat(no.kind().label()).isEqualTo("allMatchingInUse");
    assertThat(no.shortfall()).isEqualTo(8);
  }
}
