package io.gpudra.controller.metrics;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import com.google.common.collect.MapMaker;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.metrics.GpuSeconds.Use;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuFraction;
import io.gpudra.process.LabelledTotals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures GPU time from the ledgers: of all allocations periodically, and of a claim when it is
 * released, which is reported in the log and by an event. The counter {@code gpu.seconds} shows
 * {@link GpuSeconds}.
 */
public final class GpuTimeMeter {
  private static final Logger LOG = LoggerFactory.getLogger(GpuTimeMeter.class);

  private final Cluster cluster;
  private final GpuSeconds seconds;
  private final ReportSink reports;
  private final BooleanSupplier leading;
  private final Clock clock;

  /**
   * Uses by ledger, for ledgers in use. By identity, so that an unchanged node is not read again.
   */
  private final ConcurrentMap<NodeLedger, ImmutableList<Use>> usesOf =
      new MapMaker().weakKeys().makeMap();

  /**
   * State of the cluster.
   *
   * @param claims the newest claim of each name
   */
  public record Cluster(
      Supplier<ImmutableList<NodeLedger>> ledgers,
      Function<ClaimRef, Optional<ClaimFacts>> claims) {}

  /**
   * @param leading whether this process leads; only a leader reports releases
   */
  public GpuTimeMeter(
      Cluster cluster,
      GpuSeconds seconds,
      ReportSink reports,
      BooleanSupplier leading,
      Clock clock,
      MetricRegistry metrics) {
    this.cluster = cluster;
    this.seconds = seconds;
    this.reports = reports;
    this.leading = leading;
    this.clock = clock;
    metrics.register("gpu.seconds", (LabelledTotals.Source) seconds::shown);
  }

  /** Counts until now. */
  public void update() {
    seconds.update(this::uses);
  }

  private Iterable<Use> uses() {
    return Iterables.concat(Lists.transform(cluster.ledgers().get(), this::uses));
  }

  private ImmutableList<Use> uses(NodeLedger ledger) {
    return FaultIsolation.evaluate(
        () -> usesOf.computeIfAbsent(ledger, this::read), why -> ImmutableList.of());
  }

  private ImmutableList<Use> read(NodeLedger ledger) {
    return ledger.holds().keySet().stream()
        .flatMap(claim -> bill(ledger, claim).stream())
        .flatMap(usageInterval -> usageInterval.uses().stream())
        .collect(toImmutableList());
  }

  /** Counts and reports the devices that a claim had on a node. */
  public void released(NodeLedger had, ClaimUid claim) {
    FaultIsolation.evaluate(() -> bill(had, claim), why -> Optional.<UsageInterval>empty())
        .ifPresent(this::released);
  }

  private void released(UsageInterval usageInterval) {
    seconds.released(usageInterval.uses());
    if (leading.getAsBoolean() && !usageInterval.grant().devices().isEmpty()) {
      report(usageInterval, usageInterval.held(clock.instant()));
    }
  }

  private void report(UsageInterval usageInterval, Duration held) {
    Grant grant = usageInterval.grant();
    String gpuSeconds =
        String.format(Locale.ROOT, "%.3f", usageInterval.gpus() * held.toMillis() / 1_000);
    LOG.info(
        "released claim={} uid={} class={} node={} models={} devices={} seconds={} gpuSeconds={}",
        usageInterval.ref(),
        usageInterval.claim(),
        usageInterval.className(),
        grant.node(),
        usageInterval.thousandths().keySet(),
        grant.devices().size(),
        held.toSeconds(),
        gpuSeconds);
    reports.note(
        new Warning(
            new Subject.OnClaim(usageInterval.ref(), usageInterval.claim()),
            "Released",
            ImmutableSet.of(grant.node(), grant.at().toString()),
            "%s GPU-seconds in %d s on node %s: %s"
                .formatted(gpuSeconds, held.toSeconds(), grant.node(), names(grant))));
  }

  private static String names(Grant grant) {
    return grant.devices().stream().map(GrantedDevice::name).collect(Collectors.joining(", "));
  }

  private Optional<UsageInterval> bill(NodeLedger ledger, ClaimUid claim) {
    Hold hold = ledger.holds().get(claim);
    if (hold == null || hold.inApi().isEmpty()) {
      return Optional.empty();
    }
    Optional<ClaimFacts> facts =
        cluster.claims().apply(hold.ref()).filter(now -> now.uid().equals(claim));
    Grant grant = hold.inApi().get();
    ImmutableMap<String, Long> thousandths = new NodeUtilization(ledger).of(grant);
    return Optional.of(new UsageInterval(hold.ref(), claim, facts, grant, thousandths));
  }

  /**
   * One claim's devices on one node.
   *
   * @param facts empty if the claim is deleted
   * @param thousandths of GPUs, by model
   */
  private record UsageInterval(
      ClaimRef ref,
      ClaimUid claim,
      Optional<ClaimFacts> facts,
      Grant grant,
      ImmutableMap<String, Long> thousandths) {

    String className() {
      return facts.map(ClaimFacts::className).orElse(GpuStatistics.UNKNOWN);
    }

    ImmutableList<Use> uses() {
      return thousandths.entrySet().stream()
          .map(of -> use(of.getKey(), of.getValue()))
          .collect(toImmutableList());
    }

    private Use use(String model, long ofModel) {
      ImmutableList<String> labels = ImmutableList.of(ref.namespace(), className(), model);
      return new Use(grant.node(), labels, grant.at(), ofModel);
    }

    double gpus() {
      return thousandths.values().stream().mapToLong(one -> one).sum() / 1_000.0;
    }

    /**
     * The time since the allocation; a claim is never allocated before its creation, which limits
     * the time in the handle.
     */
    Duration held(Instant now) {
      Instant made = facts.map(ClaimFacts::created).orElse(Instant.EPOCH);
      Instant since = grant.at().isAfter(made) ? grant.at() : made;
      return since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
    }
  }

  /**
   * The portions of a node's GPUs that allocations hold. Devices inside another claim's part count
   * with that claim. Devices that the node does not list count 0, as do implausible reports.
   */
  private record NodeUtilization(NodeLedger ledger) {
    private static final int WHOLE = 1_000;

    /** Thousandths of GPUs by model. */
    ImmutableMap<String, Long> of(Grant grant) {
      Map<String, Long> thousandths = new TreeMap<>();
      grant.devices().stream()
          .map(GrantedDevice::part)
          .filter(part -> part.inside().filter(this::holds).isEmpty())
          .forEach(
              part ->
                  gpu(part)
                      .ifPresent(
                          gpu ->
                              thousandths.merge(
                                  gpu.model().productName(), thousandths(part, gpu), Long::sum)));
      return ImmutableMap.copyOf(thousandths);
    }

    private boolean holds(ClaimUid claim) {
      Hold hold = ledger.holds().get(claim);
      return hold != null && hold.inApi().isPresent();
    }

    private Optional<Gpu> gpu(GrantedPart part) {
      return ledger.inventory().isPlausible()
          ? ledger.inventory().gpus().stream()
              .filter(gpu -> gpu.uuid().equals(part.gpuUuid()))
              .findFirst()
          : Optional.empty();
    }

    /** At least 1, at most the whole GPU. */
    private static long thousandths(GrantedPart part, Gpu gpu) {
      return Math.max(1, Math.min(WHOLE, Math.round(WHOLE * GpuFraction.of(part.part(), gpu))));
    }
  }
}
