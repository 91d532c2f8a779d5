package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a change of the ledgers means for work that waits. */
class AlertRelayTest implements ReportSink {
  private static final ClaimRef HELD = new ClaimRef("team", "held");
  private static final ClaimUid UID = new ClaimUid("uid");
  private static final NodeLedger LEDGER =
      NodeLedger.of(NodeFixture.node("worker").inventory())
          .observed(UID, HELD, Optional.of(GrantFixture.grant(UID, "worker")));

  private final List<Warning> warnings = new ArrayList<>();
  private final List<ClaimUid> released = new ArrayList<>();
  private final Requeuer requeuer = new Requeuer(() -> 0, () -> 0L);
  private final AlertRelay relay =
      new AlertRelay(
          requeuer,
          this,
          claim -> {},
          (ledger, claim) -> released.add(claim),
          new MetricRegistry());

  private void limited(ClaimRef claim) {
    Waiter waiter = new Waiter(new WaitRank(0, Instant.EPOCH), "uid", WorkKey.claim(claim));
    requeuer.waitQueue().enter(waiter).limited(ImmutableSet.of("quota"), 1);
  }

  @Test
  void aReleaseEasesTheLimitsOfItsNamespace() {
    requeuer.begin();
    limited(new ClaimRef("other", "waits"));
    relay.released(LEDGER, UID);
    assertThat(requeuer.claimKeys().depth()).isZero();
    limited(new ClaimRef("team", "waits"));
    relay.released(LEDGER, UID);
    assertThat(requeuer.claimKeys().depth()).isOne();
    assertThat(released).containsExactly(UID, UID);
  }

  @Test
  void whatANodeReportsInTurnIsToldOnceAndOnlyReadWhenItIsSent() {
    ImmutableSortedMap<ClaimUid, ClaimRef> two =
        ImmutableSortedMap.of(UID, HELD, new ClaimUid("other"), new ClaimRef("team", "other"));
    for (int i = 0; i < 100; i++) {
      relay.grantedTwice(new DoubleGrant("worker", "GPU-0", two));
    }
    assertThat(warnings).hasSize(2);
    relay.grantedTwice(new DoubleGrant("worker", "GPU-1", two));
    assertThat(warnings).hasSize(4);
    assertThat(warnings.get(2).text().get())
        .isNotSameAs(warnings.get(2).text().get())
        .startsWith("GPU-1 of node worker is allocated to team/other, team/held;");
  }

  @Override
  public void warn(Warning warning) {
    warnings.add(warning);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {}
}
