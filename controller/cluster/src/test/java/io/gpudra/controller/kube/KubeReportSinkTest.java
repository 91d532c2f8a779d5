package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.EventSink;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.testing.FakeReason;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The same warning is told once in five minutes. */
class KubeReportSinkTest {
  private static final Duration REPEAT = Duration.ofMinutes(5);

  private final AtomicLong nanos = new AtomicLong();
  private final MetricRegistry metrics = new MetricRegistry();

  @Test
  void tellsTheSameOnceAndAgainAfterFiveMinutes() throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> json(201, "{}"));
        HttpClients http = server.client();
        EventSink events = sink(http)) {
      events.start();
      KubeReportSink reports = new KubeReportSink(events, metrics);
      reports.warn(warning("1 of 8 free", "x"));
      awaitSent(1);
      reports.warn(warning("0 of 8 free", "x"));
      reports.warn(warning("0 of 8 free", "x", "y"));
      awaitSent(2);
      nanos.addAndGet(REPEAT.toNanos());
      reports.warn(warning("0 of 8 free", "x"));
      awaitSent(3);
      Subject claim = new Subject.OnClaim(new ClaimRef("ns", "c1"), new ClaimUid("u1"));
      reports.warn(new Warning(claim, "NoFreeDevice", ImmutableSet.of("x"), "m"));
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(server.calls())
                      .extracting(Call::method)
                      .containsExactly("POST", "POST", "PATCH", "POST"));
      assertThat(server.calls().get(0).body()).contains("1 of 8 free", "\"kind\":\"Pod\"");
      assertThat(server.calls().get(3).body()).contains("\"kind\":\"ResourceClaim\"");
    }
  }

  @Test
  void aNodeThatNamesClaimsOfManyNamespacesHasOneTurn() throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> json(201, "{}"));
        HttpClients http = server.client();
        EventSink events = sink(http)) {
      KubeReportSink reports = new KubeReportSink(events, metrics);
      for (int i = 0; i < 2_000; i++) {
        Subject claim = new Subject.OnClaim(new ClaimRef("ns-" + i, "c"), new ClaimUid("u" + i));
        reports.warnOfNode("worker-1", new Warning(claim, "Orphaned", ImmutableSet.of(), "m"));
      }
      reports.warn(warning("1 of 8 free", "x"));
      events.start();
      awaitSent(2);
      assertThat(server.calls().get(1).body()).contains("1 of 8 free");
    }
  }

  @Test
  void aNodeThatReportsAnotherFaultEachTimeHidesThoseOfNoOtherNode() throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> json(201, "{}"));
        HttpClients http = server.client();
        EventSink events = sink(http)) {
      KubeReportSink reports = new KubeReportSink(events, metrics);
      reports.malformed(report("good", "its only fault"));
      for (int i = 0; i < 2_000; i++) {
        reports.malformed(report("evil", "fault " + i));
      }
      events.start();
      awaitSent(2);
      assertThat(server.calls().subList(0, 2))
          .extracting(Call::body)
          .anyMatch(body -> body.contains("its only fault"));
    }
  }

  private static MalformedObject report(String node, String problem) {
    return new MalformedObject(GpuApi.GROUP_VERSION, NodeInventory.KIND, "", node, "uid", problem);
  }

  @Test
  void countsRefusalsByLabel() throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> json(201, "{}"));
        HttpClients http = server.client();
        EventSink events = sink(http)) {
      new KubeReportSink(events, metrics).refused(FakeReason.FULL.kind());
      assertThat(metrics.counter("driver.refused.allMatchingInUse").getCount()).isEqualTo(1);
    }
  }

  private void awaitSent(long count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> metrics.meter("events.sent").getCount() >= count);
  }

  private EventSink sink(HttpClients http) {
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return nanos.get();
          }
        };
    return new EventSink(http, "resource driver d", Clock.systemUTC(), ticker, () -> true, metrics);
  }

  private static Warning warning(String message, String... causes) {
    return new Warning(
        new Subject.OnPod(new PodRef("ns", "p", "uid")),
        "NoFreeDevice",
        ImmutableSet.copyOf(causes),
        message);
  }
}
