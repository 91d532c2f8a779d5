package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A census of a cluster with a node whose data is worse than anybody thought. */
class ClusterStatsFenceTest implements ReportSink {

  @Override
  public void warn(Warning warning) {}

  @Override
  public void refused(UnsuitableReason.Kind kind) {}

  private static NodeLedger node(String name, Service service, PreparedClaim... prepared) {
    return NodeLedger.of(NodeFixture.node(name).prepared(prepared).service(service).inventory());
  }

  @Test
  void aNodeThatCannotBeLookedAtHidesNothingOfTheOthers() {
    PreparedClaim leftOver =
        GrantFixture.preparedWhole(new ClaimUid("u1"), new ClaimRef("team-a", "train"), "GPU-0");
    ClusterStats clusterStats =
        new ClusterStats(
            this,
            claim -> {
              throw new ArithmeticException("long overflow");
            },
            twice -> {},
            unused -> ImmutableList.of(),
            new MetricRegistry());

    clusterStats.update(
        ImmutableList.of(
            node("evil", new Service.Serving(), leftOver),
            node("stale", new Service.Stale(Instant.EPOCH))),
        0);

    assertThat(clusterStats.findings())
        .extracting(Finding::kind)
        .containsExactly(Finding.Kind.NODE_NOT_JUDGED, Finding.Kind.NODE_STALE);
    assertThat(clusterStats.findings().get(0).message())
        .startsWith("java.lang.ArithmeticException: long overflow at ClusterStatsFenceTest.java:");
  }
}
