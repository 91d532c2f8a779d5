package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.hold;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that as many claims monitor as may. */
class MonitorRoomTest {
  private final RecordingListener listener = new RecordingListener();
  private final Ledgers ledgers = Samples.telling(listener);

  @BeforeEach
  void oneNodeIsFull() {
    ledgers.observe(NodeFixture.node("n0").gpus(2, GpuModels.A100).inventory());
    ledgers.observe(NodeFixture.node("n1").gpus(2, GpuModels.A100).inventory());
    for (int i = 0; i < NodeLedger.MAX_MONITORS; i++) {
      hold(ledgers, "m" + i, "n0");
    }
    listener.told();
  }

  private static PodRequest monitor(String claim) {
    DeviceSubRequest sight =
        new DeviceSubRequest(
            Optional.empty(),
            1,
            /* all= */ true,
            new DeviceKind.MonitorAccess(),
            Among.EVERY,
            SharingStrategy.NONE);
    return pod(
        new RequestFixture(
                ref(claim),
                ImmutableList.of(
                    new RequestAlternative(ImmutableList.of(sight), DeviceConstraints.ANYHOW)))
            .build());
  }

  @Test
  void anotherNodeIsChosen() {
    assertThat(ledgers.commitBest(monitor("a"), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n1"));
  }

  @Test
  void theAnswerOfANodeThatLooksAlikeIsNotItsOwn() {
    assertThat(Samples.refusal(ledgers, "n1", monitor("a"), new SearchBudget())).isEmpty();
    assertThat(ledgers.refusals(ImmutableSet.of("n0"), monitor("a"), new SearchBudget()))
        .containsOnlyKeys("n0");
  }

  @Test
  void aMonitorThatGoesMakesRoomForAnother() {
    assertThat(reason(ledgers.commit("n0", monitor("a"), OWNER, STAMP), "n0", "a").kind())
        .isEqualTo(Kind.TOO_MANY_MONITORS);
    ledgers.observe(ref("m7"), uid("m7"), Optional.empty());

    assertThat(listener.told()).contains("n0 freed 1");
    assertThat(ledgers.commit("n0", monitor("a"), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }
}
