package io.gpudra.kubeletplugin.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Clock;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.MetricNames;
import io.gpudra.process.MetricsPage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long claims take is measured from the beginning of each to its answer. */
class ClaimCallTimesTest {
  private static final PrepareCall CALL = PrepareCall.endingIn(Duration.ofMinutes(10));

  private final Ticks ticks = new Ticks();
  private final Faults faults = new Faults();
  private final MetricRegistry metrics = new MetricRegistry();
  private final MetricsPage page = new MetricsPage(metrics, new MetricNames(ImmutableList.of()));
  private final FakeNode node;
  private final ClaimCalls calls;

  ClaimCallTimesTest(@TempDir Path directory) throws IOException {
    timed("gpudra.plugin.prepare.duration");
    timed("gpudra.plugin.unprepare.duration");
    node = new FakeNode(directory);
    calls = new ClaimCalls(node.start(faults, FakeNode.PATIENT), metrics);
    faults.on("setUp", () -> ticks.now += Duration.ofMillis(7).toNanos());
    faults.on("tearDown", () -> ticks.now += Duration.ofMillis(70).toNanos());
  }

  private static final class Ticks extends Clock {
    private long now;

    @Override
    public long getTick() {
      return now;
    }
  }

  private void timed(String name) {
    Timer unused = metrics.timer(name, () -> BucketTimer.ofWork(ticks));
  }

  private WireClaim claim(String uid, int device) {
    return new WireClaim(
        new ClaimUid(uid),
        FakeNode.ref(uid),
        HandleCodec.encode(node.grant(uid, device)),
        /* structured= */ false);
  }

  private String page() {
    return page.answer(ImmutableMap.of()).text();
  }

  @Test
  void eachClaimOfACallIsTimedByItself() {
    assertThat(calls.prepareAll(ImmutableList.of(claim("u1", 0), claim("u2", 1)), CALL)).hasSize(2);
    assertThat(page())
        .contains("gpudra_plugin_prepare_duration_bucket{le=\"0.005\"} 0\n")
        .contains("gpudra_plugin_prepare_duration_bucket{le=\"0.01\"} 2\n")
        .contains("gpudra_plugin_unprepare_duration_count 0\n");

    assertThat(calls.unprepare(claim("u1", 0), CALL)).isEmpty();
    assertThat(page())
        .contains("gpudra_plugin_unprepare_duration_bucket{le=\"0.05\"} 0\n")
        .contains("gpudra_plugin_unprepare_duration_bucket{le=\"0.1\"} 1\n");
  }

  @Test
  void whatIsRefusedIsTimedToo() {
    faults.fail("write");
    assertThat(calls.prepareAll(ImmutableList.of(claim("u1", 0)), CALL)).hasSize(1);

    assertThat(page()).contains("gpudra_plugin_prepare_duration_count 1\n");
  }
}
