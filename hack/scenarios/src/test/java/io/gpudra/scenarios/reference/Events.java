package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Workbench.CLAIM;
import static io.gpudra.scenarios.reference.Workbench.NODE;
import static io.gpudra.scenarios.reference.Workbench.NOW;
import static io.gpudra.scenarios.reference.Workbench.facts;

import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.eviction.Evictor;
import io.gpudra.controller.eviction.Evictor.Cluster;
import io.gpudra.controller.metrics.GpuSeconds;
import io.gpudra.controller.metrics.GpuTimeMeter;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaExcess;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceToleration;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Lets those that tell people of claims tell of each thing once, and keeps the first sentences. */
final class Events implements ReportSink, Cluster {
  private final Map<String, String> texts = new HashMap<>();
  private final ClaimEventRecorder claimEventRecorder =
      new ClaimEventRecorder(this, unused -> ImmutableList.of());

  private Events() {}

  /** By the event's reason; of some a sentence takes more than a node. */
  static Map<String, String> examples() {
    Events events = new Events();
    Stream.of(
            UnsuitableReason.Kind.ALL_MATCHING_IN_USE,
            UnsuitableReason.Kind.NONE_MATCH,
            UnsuitableReason.Kind.NOT_CONNECTED)
        .forEach(events::refuse);
    events.refuseParameters();
    events.limit();
    events.claimEventRecorder.lost(
        facts(CLAIM), UnsuitableReason.Kind.WRITE_REJECTED, Optional.empty());
    events.claimEventRecorder.releaseRejected(facts(CLAIM));
    events.evict();
    events.release();
    Arrays.stream(Kind.values())
        .forEach(
            kind ->
                Findings.example(kind)
                    .ifPresent(what -> events.texts.putIfAbsent(kind.label(), what)));
    return events.texts;
  }

  private void refuse(UnsuitableReason.Kind cause) {
    claimEventRecorder.refused(facts(CLAIM), ImmutableMap.of(NODE, Refusals.example(cause)));
  }

  private void refuseParameters() {
    claimEventRecorder.obstacle(PodBlocker.classAbsent(CLAIM, facts(CLAIM)));
    claimEventRecorder.obstacle(
        obstacle(
            Workbench.of(Workbench.node("a100-40"))
                .driver()
                .parameters(Workbench.CLASS, facts(CLAIM))));
    read("{}", "{cel: device.memry > 1}");
    read("{forbiddenAttributes: [node]}", "{cel: \"device.node == 'worker-1'\"}");
    read("{limits: {devicesPerClaim: 1}}", "{count: 2}");
    read("{namespaceSelector: {matchLabels: {gpus: allowed}}}", "{}");
  }

  private void read(String ofClass, String ofClaim) {
    Workbench bench = Workbench.of(Workbench.node("a100-40"));
    claimEventRecorder.obstacle(obstacle(bench.read(ofClass, ofClaim)));
  }

  private static PodBlocker obstacle(io.gpudra.controller.dra.DriverParameters<?> parameters) {
    return PodBlocker.ofParameters(CLAIM, facts(CLAIM), parameters).orElseThrow();
  }

  private void limit() {
    QuotaLimit two =
        new QuotaLimit("team", "", ImmutableSet.of(), OptionalLong.of(2_000), OptionalLong.empty());
    QuotaUse use = new QuotaUse(two, new QuotaCharge(2_000, 0));
    claimEventRecorder.limited(
        ImmutableList.of(facts(CLAIM)),
        Optional.empty(),
        new QuotaExcess(use, new QuotaCharge(1_000, 0)),
        ImmutableSet.of(two.name()));
  }

  private void evict() {
    Workbench bench = Findings.bench(Kind.DEVICE_UNHEALTHY);
    Evictor.Sinks sinks = new Evictor.Sinks(this, unused -> {});
    new Evictor(bench.ledgers()::snapshot, this, () -> true, later(), Ticker.systemTicker(), sinks)
        .runOnce();
  }

  private void release() {
    Workbench bench = Workbench.of(Workbench.node("a100-40")).held(CLAIM, "{count: 2}");
    new GpuTimeMeter(
            new GpuTimeMeter.Cluster(ImmutableList::of, claim -> Optional.of(facts(claim.name()))),
            new GpuSeconds(later(), () -> 0),
            this,
            () -> true,
            later(),
            new MetricRegistry())
        .released(bench.ledger(), Workbench.uid(CLAIM));
  }

  private static Clock later() {
    return Clock.fixed(NOW.plus(Duration.ofHours(1)), ZoneOffset.UTC);
  }

  @Override
  public void warn(Warning warning) {
    texts.putIfAbsent(warning.reason(), warning.message());
  }

  @Override
  public void note(Warning event) {
    warn(event);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {}

  @Override
  public ImmutableList<PodRef> pods(ClaimRef ref, ClaimUid claim) {
    return ImmutableList.of(new PodRef(ref.namespace(), "train-0", "uid-of-train-0"));
  }

  @Override
  public Optional<ImmutableList<DeviceToleration>> tolerations(ClaimRef ref, ClaimUid claim) {
    return Optional.of(ImmutableList.of());
  }

  @Override
  public Answer evict(PodRef pod) {
    return Answer.EVICTED;
  }
}
