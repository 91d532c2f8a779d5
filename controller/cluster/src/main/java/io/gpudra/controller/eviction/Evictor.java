package io.gpudra.controller.eviction;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.ledger.TaintedDevice;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.eviction.EvictionRules.Eviction;
import io.gpudra.controller.eviction.EvictionRules.GpuUse;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.Gpu;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks pods to leave tainted GPUs and MIG devices; one leaves in each round, and nodes take turns.
 * A standby records the taints, too, so that a new leader knows since when they exist. Confined to
 * one thread.
 */
public final class Evictor {
  private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);

  /** The number of evictions in one round, so that one that is blocked or fails delays no other. */
  static final int MAX_ASKED = 10;

  private static final ImmutableSet<Cluster.Answer> EVICTED =
      Sets.immutableEnumSet(Cluster.Answer.EVICTED, Cluster.Answer.GONE);

  private final Supplier<ImmutableList<NodeLedger>> ledgers;
  private final Cluster cluster;
  private final BooleanSupplier leads;
  private final Clock clock;
  private final Sinks sinks;
  private final TolerationCache tolerationCache;

  /** The time at which a taint without a time was first seen. */
  private final Map<OnDevice, Instant> seen = new HashMap<>();

  /** The time of the next try by the pod's UID; never after an eviction. */
  private final Map<String, Instant> again = new HashMap<>();

  /** The last turn of each node, whose clock decides only the order of its own pods. */
  private final Map<String, Instant> lastTurn = new HashMap<>();

  /** A taint on a GPU or MIG device, regardless of its current reason. */
  private record OnDevice(String uuid, String key, String value) {
    static OnDevice of(TaintedDevice device, DeviceTaint taint) {
      return new OnDevice(device.uuid(), taint.key(), taint.value());
    }
  }

  /**
   * The receivers of results.
   *
   * @param counter receives each answer
   */
  public record Sinks(ReportSink reports, Consumer<Cluster.Answer> counter) {}

  /**
   * An evictor that has not evicted any pod.
   *
   * @param ledgers the newest ledgers of all nodes
   * @param leads whether this process leads right now, long enough for one call to end
   * @param ticker the clock of the toleration cache
   */
  public Evictor(
      Supplier<ImmutableList<NodeLedger>> ledgers,
      Cluster cluster,
      BooleanSupplier leads,
      Clock clock,
      Ticker ticker,
      Sinks sinks) {
    this.ledgers = ledgers;
    this.cluster = cluster;
    this.leads = leads;
    this.clock = clock;
    this.sinks = sinks;
    this.tolerationCache = new TolerationCache(cluster, ticker);
  }

  /** One round; call about once a second. */
  public void runOnce() {
    Instant now = clock.instant();
    ImmutableList<NodeLedger> all = ledgers.get();
    ImmutableList<NodeLedger> tainted =
        all.stream().filter(Evictor::isTainted).collect(toImmutableList());
    note(tainted, now);
    lastTurn.keySet().retainAll(all.stream().map(NodeLedger::node).collect(toImmutableSet()));
    ImmutableList<Eviction> next = leads.getAsBoolean() ? next(tainted, now) : ImmutableList.of();
    for (Eviction one : next) {
      if (EVICTED.contains(evict(one, now)) || !leads.getAsBoolean()) {
        return;
      }
    }
  }

  private ImmutableList<Eviction> next(List<NodeLedger> tainted, Instant now) {
    ImmutableList<GpuUse> uses = uses(tainted);
    forgetAllBut(uses);
    return EvictionRules.due(uses, now).stream()
        .filter(one -> !turn(one).isAfter(now))
        .sorted(Comparator.comparing(this::lastTurn).thenComparing(this::turn))
        .limit(MAX_ASKED)
        .filter(one -> confirm(one, now))
        .collect(toImmutableList());
  }

  private Instant lastTurn(Eviction eviction) {
    return lastTurn.getOrDefault(eviction.because().node(), Instant.MIN);
  }

  /** A pod that is no longer due leaves its place in the next rounds to others. */
  private boolean confirm(Eviction one, Instant now) {
    boolean due = isStillDue(one, now);
    if (!due) {
      tried(one, now, now.plus(ControllerDelays.TOLERATIONS));
    }
    return due;
  }

  private void tried(Eviction one, Instant now, Instant next) {
    again.put(one.pod().uid(), next);
    lastTurn.put(one.because().node(), now);
  }

  /** Uses the current tolerations, which may have changed since they were cached. */
  private boolean isStillDue(Eviction one, Instant now) {
    GpuUse use = one.because();
    return tolerationCache
        .read(use.ref(), use.claim())
        .map(tolerations -> EvictionRules.due(ImmutableList.of(use.with(tolerations)), now))
        .filter(due -> due.stream().anyMatch(other -> other.pod().equals(one.pod())))
        .isPresent();
  }

  private void forgetAllBut(List<GpuUse> uses) {
    again
        .keySet()
        .retainAll(
            uses.stream()
                .flatMap(use -> use.pods().stream())
                .map(PodRef::uid)
                .collect(toImmutableSet()));
  }

  /** Called for each node each second. */
  private static boolean isTainted(NodeLedger ledger) {
    for (Gpu gpu : ledger.inventory().gpus()) {
      if (gpu.isTainted()) {
        return true;
      }
    }
    return false;
  }

  private static Stream<DeviceTaint> evicting(TaintedDevice device) {
    return device.taints().stream().filter(taint -> taint.effect() == Effect.NO_EXECUTE);
  }

  /** Records the taints, including those of silent nodes, which may report again. */
  private void note(List<NodeLedger> tainted, Instant now) {
    ImmutableSet<OnDevice> there =
        tainted.stream()
            .flatMap(TaintedDevice::of)
            .flatMap(device -> evicting(device).map(taint -> OnDevice.of(device, taint)))
            .collect(toImmutableSet());
    seen.keySet().retainAll(there);
    there.forEach(one -> seen.putIfAbsent(one, now));
  }

  /** A node's clock that is ahead prolongs no toleration. */
  private Instant since(TaintedDevice device, DeviceTaint taint) {
    Instant noted = seen.getOrDefault(OnDevice.of(device, taint), clock.instant());
    return taint.since().filter(said -> said.isBefore(noted)).orElse(noted);
  }

  private ImmutableList<GpuUse> uses(List<NodeLedger> tainted) {
    return tainted.stream()
        .flatMap(TaintedDevice::of)
        .flatMap(this::uses)
        .collect(toImmutableList());
  }

  private Stream<GpuUse> uses(TaintedDevice device) {
    ImmutableMap<DeviceTaint, Instant> taints =
        evicting(device)
            .distinct()
            .collect(ImmutableMap.toImmutableMap(taint -> taint, taint -> since(device, taint)));
    return taints.isEmpty()
        ? Stream.empty()
        : device
            .holders()
            .flatMap(held -> use(device, held.getKey(), held.getValue(), taints).stream());
  }

  /** The last report of a silent plugin neither causes an eviction nor forgets an earlier one. */
  private Optional<GpuUse> use(
      TaintedDevice device, ClaimUid claim, Hold hold, ImmutableMap<DeviceTaint, Instant> taints) {
    return tolerationCache
        .of(hold.ref(), claim)
        .map(
            tolerations ->
                new GpuUse(
                    hold.ref(),
                    claim,
                    cluster.pods(hold.ref(), claim),
                    tolerations,
                    device.ledger().node(),
                    device.name(),
                    device.ledger().serving() ? taints : ImmutableMap.of()));
  }

  private Instant turn(Eviction eviction) {
    return again.getOrDefault(eviction.pod().uid(), eviction.at());
  }

  private Cluster.Answer evict(Eviction eviction, Instant now) {
    Cluster.Answer answer = cluster.evict(eviction.pod());
    sinks.counter().accept(answer);
    tried(
        eviction,
        now,
        switch (answer) {
          case EVICTED, GONE -> Instant.MAX;
          case BLOCKED -> now.plus(ControllerDelays.BLOCKED_EVICTION);
          case FAILED -> now.plus(ControllerDelays.FAILED_EVICTION);
        });
    if (answer == Cluster.Answer.EVICTED) {
      LOG.info("pod evicted pod={} why={}", eviction.pod(), eviction.text());
      report(eviction);
    }
    return answer;
  }

  private void report(Eviction eviction) {
    GpuUse because = eviction.because();
    String text = eviction.text();
    ImmutableSet<String> causes = ImmutableSet.of(because.device(), eviction.taint().key());
    Subject onPod = new Subject.OnPod(eviction.pod());
    Subject onClaim = new Subject.OnClaim(because.ref(), because.claim());
    sinks.reports().warn(new Warning(onPod, "Evicted", causes, text));
    sinks.reports().warn(new Warning(onClaim, "Evicted", causes, text));
  }

  /** Port to the users of claims, which can be evicted. */
  public interface Cluster {

    /** Pods for which exactly this claim is reserved, from the cache. */
    ImmutableList<PodRef> pods(ClaimRef ref, ClaimUid claim);

    /** The taints that exactly this claim tolerates; empty while they cannot be read. */
    Optional<ImmutableList<DeviceToleration>> tolerations(ClaimRef ref, ClaimUid claim);

    /** Asks the server to evict exactly this pod; repeatable. */
    Answer evict(PodRef pod);

    /** The answers of the server. */
    enum Answer {
      /** The pod is ending. */
      EVICTED,
      /** The pod does not exist any more. */
      GONE,
      /** A disruption budget forbids it now. */
      BLOCKED,
      /** No answer, or another one. */
      FAILED
    }
  }

  /**
   * Tolerations of claims. To read them, all parameters are interpreted, so they are cached for a
   * while, and read anew before an eviction.
   */
  private static final class TolerationCache {
    private final Evictor.Cluster cluster;
    private final Cache<ClaimUid, ImmutableList<DeviceToleration>> known;

    TolerationCache(Evictor.Cluster cluster, Ticker ticker) {
      this.cluster = cluster;
      this.known =
          CacheBuilder.newBuilder()
              .expireAfterWrite(ControllerDelays.TOLERATIONS)
              .ticker(ticker)
              .build();
    }

    /** The tolerations of exactly this claim; empty while they cannot be read. */
    Optional<ImmutableList<DeviceToleration>> of(ClaimRef ref, ClaimUid claim) {
      return Optional.ofNullable(known.getIfPresent(claim)).or(() -> read(ref, claim));
    }

    /** The same tolerations, read anew. */
    Optional<ImmutableList<DeviceToleration>> read(ClaimRef ref, ClaimUid claim) {
      Optional<ImmutableList<DeviceToleration>> now = cluster.tolerations(ref, claim);
      now.ifPresent(tolerations -> known.put(claim, tolerations));
      return now;
    }
  }
}
