package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import io.gpudra.process.LabelledCounter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GpuStatisticsTest {
  private static final int MANY = 10_000;
  private static final String POOL = "cloud.example.com/pool";
  private static final ClaimUid TRAIN = new ClaimUid("train-uid");

  private final MetricRegistry metrics = new MetricRegistry();
  private boolean leads = true;
  private final GpuStatistics gpuStatistics =
      new GpuStatistics(
          POOL,
          () -> leads,
          new WaitingClaimCounts(
              () -> ImmutableList.of(Some.claim("a").facts()),
              claim -> Optional.of(claim.created()),
              Clock.fixed(Some.EPOCH, ZoneOffset.UTC)),
          metrics);

  private static NodeLedger node(String name, String pool, Service service, Gpu... gpus) {
    NodeState state =
        pool.isEmpty() ? NodeFixture.ready(name) : NodeFixture.ready(name, POOL, pool);
    return NodeLedger.of(
        NodeFixture.node(name)
            .state(state)
            .gpus(ImmutableList.copyOf(gpus))
            .prepared(
                GrantFixture.preparedWhole(
                    new ClaimUid("gone"), new ClaimRef("team-a", "gone"), "draining"))
            .service(service)
            .inventory());
  }

  private static NodeLedger granted(NodeLedger ledger, String... uuids) {
    Grant grant =
        GrantFixture.grant(
            TRAIN,
            ledger.node(),
            ImmutableList.copyOf(uuids).stream()
                .map(uuid -> new GrantedDevice(uuid, uuid))
                .collect(ImmutableList.toImmutableList()));
    return ledger.observed(TRAIN, new ClaimRef("team-a", "train"), Optional.of(grant));
  }

  private static Gpu gpu(String uuid, String model, DeviceTaint... taints) {
    return GpuModels.gpu(uuid, 0, GpuModels.model(model, "", "", "", 16)).toBuilder()
        .name(uuid)
        .taints(ImmutableList.copyOf(taints))
        .build();
  }

  private static DeviceTaint taint(String key) {
    return Taints.noSchedule("gpu.resource.example.com/" + key);
  }

  private static NodeLedger mixed(Service service) {
    return granted(
        node(
            "worker-1",
            "spot",
            service,
            gpu("free", "T4"),
            gpu("granted", "T4"),
            gpu("draining", "T4"),
            gpu("tainted", "T4", taint("xid")),
            gpu("off", "T4", taint("xid"), taint("lost"))),
        "granted",
        "missing");
  }

  private Map<String, Long> shown(String gauge) {
    LabelledCounter.Table table = (LabelledCounter.Table) metrics.gauge(gauge).getValue();
    return table.counts().entrySet().stream()
        .collect(Collectors.toMap(row -> String.join(" ", row.getKey()), Map.Entry::getValue));
  }

  @Test
  void everyGpuIsInOneState() {
    gpuStatistics.update(ImmutableList.of(mixed(new Service.Serving())));

    assertThat(shown("gpus"))
        .containsOnly(
            Map.entry("spot T4 free", 1L),
            Map.entry("spot T4 partly_free", 0L),
            Map.entry("spot T4 granted", 1L),
            Map.entry("spot T4 draining", 1L),
            Map.entry("spot T4 tainted", 1L),
            Map.entry("spot T4 lost", 1L),
            Map.entry("spot T4 stale", 0L),
            Map.entry("spot unknown lost", 1L));
  }

  @Test
  void ofANodeThatDoesNotServeNothingIsFreeOrGranted() {
    gpuStatistics.update(ImmutableList.of(mixed(new Service.Stale(Instant.EPOCH))));

    assertThat(shown("gpus"))
        .containsEntry("spot T4 stale", 4L)
        .containsEntry("spot T4 lost", 1L)
        .containsEntry("spot unknown lost", 1L)
        .containsEntry("spot T4 free", 0L)
        .containsEntry("spot T4 granted", 0L);
  }

  @Test
  void whatIsGrantedOrPreparedIsHeldWhateverItsState() {
    gpuStatistics.update(
        ImmutableList.of(
            mixed(new Service.Stale(Instant.EPOCH)),
            node("worker-2", "", new Service.Serving(), gpu("other", "A100"))));

    assertThat(shown("gpus.held"))
        .containsOnly(
            Map.entry("spot T4", 2L),
            Map.entry("spot unknown", 1L),
            Map.entry("none A100", 0L),
            Map.entry("none unknown", 1L));
  }

  @Test
  void aNodeWithoutTheLabelIsInNoPool() {
    gpuStatistics.update(
        ImmutableList.of(node("worker-1", "", new Service.Serving(), gpu("a", "T4"))));

    assertThat(shown("gpus")).containsEntry("none T4 free", 1L);
  }

  @Test
  void tenThousandPoolsAndModelsMakeABoundedPage() {
    ImmutableList.Builder<NodeLedger> nodes = ImmutableList.builder();
    for (int i = 0; i < MANY; i++) {
      nodes.add(node("n" + i, "pool-" + i, new Service.Serving(), gpu("g" + i, "model-" + i)));
    }
    gpuStatistics.update(nodes.build());

    assertThat(shown("gpus")).hasSizeLessThan(7 * 100).containsKey("other other free");
    assertThat(shown("gpus").values().stream().mapToLong(count -> count).sum()).isEqualTo(MANY);
  }

  @Test
  void onlyALeaderKnowsWhoWaits() {
    gpuStatistics.update(ImmutableList.of());
    assertThat(shown("claims.waiting")).containsEntry("mock-class 1m", 1L);

    leads = false;
    gpuStatistics.update(ImmutableList.of());
    assertThat(shown("claims.waiting")).isEmpty();
  }

  @Test
  void beforeTheFirstCensusNothingIsShown() {
    assertThat(shown("gpus")).isEmpty();
    assertThat(shown("gpus.held")).isEmpty();
    assertThat(shown("claims.waiting")).isEmpty();
  }
}
