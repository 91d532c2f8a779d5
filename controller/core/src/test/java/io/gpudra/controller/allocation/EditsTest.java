package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.DiscreteDomain;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Range;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.DeviceSubRequest.PinnedLimits;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.SharingStrategy;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hundreds of megabytes of what tenants write again and again leave the heap where it was. */
class EditsTest {
  private static final long MEBI = 1 << 20;
  private static final int PASSES = 400;
  private static final int EDITS = 10_000;
  private static final int CLAIMS = 64;
  private static final int WAYS = 8;
  private static final int LIMITS = 16;

  private final Ledgers ledgers = new Ledgers();

  @BeforeEach
  void oneNodeThatServesNobody() {
    ledgers.observe(inventory("n0", 1));
    Samples.hold(ledgers, "holder", "n0", 0);
  }

  /** As large as parameters can be made; all of it is new each time, as when it is read. */
  private static ClaimRequest large(String claim, long edit) {
    return new RequestFixture(
            ref(claim),
            IntStream.range(0, WAYS)
                .mapToObj(
                    way ->
                        new RequestAlternative(
                            ImmutableList.of(wish(edit + way)), DeviceConstraints.ANYHOW))
                .collect(ImmutableList.toImmutableList()))
        .build();
  }

  private static DeviceSubRequest wish(long bytes) {
    ImmutableMap<Integer, Long> limits =
        Maps.toMap(
            ContiguousSet.create(Range.closedOpen(0, LIMITS), DiscreteDomain.integers()),
            position -> (bytes << 20) + position);
    return new DeviceSubRequest(
        Optional.empty(),
        1,
        /* all= */ false,
        new DeviceKind.Share(1 << 20, 0, 100),
        new Among(0, "condition " + bytes),
        SharingStrategy.NONE,
        new PinnedLimits(limits, ImmutableMap.of()));
  }

  private static PodRequest pod(String name, int edit) {
    return new PodRequest(
        IntStream.range(0, CLAIMS)
            .mapToObj(i -> large(name + i, i == 0 ? 1_000 + edit : i))
            .collect(ImmutableList.toImmutableList()));
  }

  private void asked(PodRequest pod) {
    assertThat(Samples.refusal(ledgers, "n0", pod, new SearchBudget())).isPresent();
  }

  @Test
  void parametersOfAPodThatAreEditedInALoopLeaveTheHeapWhereItWas() {
    asked(pod("edited", 0));
    long before = LiveHeap.bytes();
    for (int edit = 1; edit <= PASSES; edit++) {
      asked(pod("edited", edit));
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(4 * MEBI);
  }

  @Test
  void podsThatAskForEverMoreStayWithinTheBudget() {
    asked(pod("first", 0));
    long before = LiveHeap.bytes();
    for (int pod = 1; pod <= PASSES; pod++) {
      asked(pod("pod" + pod + "-", pod));
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.REFUSALS.bytes());
  }

  private void askedAtOnce(ClaimRequest claim) {
    PodRequest alone = new PodRequest(ImmutableList.of(claim));
    assertThat(ledgers.commitBest(alone, Samples.OWNER, Samples.STAMP))
        .isInstanceOf(CommitResult.NoNode.class);
  }

  @Test
  void parametersOfAnImmediateClaimThatAreEditedInALoopLeaveTheHeapWhereItWas() {
    askedAtOnce(large("edited", 0));
    long before = LiveHeap.bytes();
    for (int edit = 1; edit <= EDITS; edit++) {
      askedAtOnce(large("edited", edit));
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(4 * MEBI);
  }

  @Test
  void immediateClaimsThatAskForEverMoreStayWithinTheBudget() {
    askedAtOnce(large("first", 0));
    long before = LiveHeap.bytes();
    for (int claim = 1; claim <= EDITS; claim++) {
      askedAtOnce(large("claim" + claim, claim));
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.VERDICTS.bytes());
  }
}
