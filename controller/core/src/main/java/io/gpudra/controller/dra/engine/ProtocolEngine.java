package io.gpudra.controller.dra.engine;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.allocator.Allocator;
import io.gpudra.controller.dra.allocator.ClaimLocks;
import io.gpudra.controller.dra.allocator.Deallocator;
import io.gpudra.controller.dra.allocator.LeaderFence;
import io.gpudra.controller.dra.claims.ClaimReconciler;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.scheduling.PodReadCache;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader;
import io.gpudra.controller.dra.scheduling.SchedulingReconciler;
import io.gpudra.controller.loop.Reconciler;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Assembles the parts of the protocol for one driver. The owner runs {@link #takeover} first, then
 * two work loops: {@link #claims} over {@link Requeuer#claimKeys}, {@link #contexts} over {@link
 * Requeuer#contextKeys}.
 */
public final class ProtocolEngine {
  private final Reconciler claims;
  private final Reconciler contexts;
  private final LeaderFence leaderFence;
  private final ImmutableMap<String, IntSupplier> entries;

  /** The ports of the protocol to the cluster. */
  public record Ports(
      ClaimStore claims,
      ContextStore contexts,
      PodStore pods,
      ClassStore classes,
      ReportSink reports) {}

  /**
   * Assembles the parts of a controller in which no pod waits at a gate; see {@link EngineParts}.
   */
  public <P> ProtocolEngine(
      Driver<P> driver, Ports ports, Requeuer requeuer, Executor writes, LongSupplier nanoTime) {
    this(EngineParts.of(driver, ports, requeuer, writes, nanoTime), nanoTime, pod -> false);
  }

  /**
   * Assembles these parts.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   * @param heldBack whether other work allocates the claims of a pod, with those of its group
   */
  public <P> ProtocolEngine(
      EngineParts<P> parts, LongSupplier nanoTime, Predicate<PodFacts> heldBack) {
    Ports ports = parts.ports();
    Requeuer requeuer = parts.requeuer();
    ClaimFeed feed = parts.feed();
    ClaimLocks locks = parts.locks();
    Allocator<P> allocator = parts.allocator();
    ClaimEventRecorder events = parts.events();
    SchedulingFactsReader<P> facts =
        new SchedulingFactsReader<>(parts.driver(), ports.claims(), ports.classes(), ports.pods());
    Deallocator deallocator = new Deallocator(ports.claims(), parts.driver(), locks, feed, events);
    this.claims = new ClaimReconciler<>(facts, allocator, deallocator, locks, requeuer, events);
    PodReadCache pods = new PodReadCache(ports.pods(), heldBack, nanoTime);
    this.contexts =
        new SchedulingReconciler<>(
            ports.contexts(), pods, parts.podClaims(), allocator, requeuer, events);
    this.leaderFence = new LeaderFence(ports.claims(), ports.contexts(), feed, requeuer, events);
    this.entries =
        ImmutableMap.of(
            "waiters", requeuer.waitQueue()::waiting,
            "told", requeuer.waitQueue()::publishedCount,
            "offers", requeuer.waitQueue()::offers,
            "names", requeuer::named,
            "podReads", pods::size,
            "ownedClaims", locks::size,
            "openBatches", allocator::size,
            "rejections", parts.rejections()::size);
  }

  /** Reconciles a claim. */
  public Reconciler claims() {
    return claims;
  }

  /** Reconciles a scheduling context. */
  public Reconciler contexts() {
    return contexts;
  }

  /** The number of entries about pods and claims, by cache; each entry ends with its object. */
  public ImmutableMap<String, IntSupplier> entries() {
    return entries;
  }

  /** The fence of a new leader. */
  public LeaderFence takeover() {
    return leaderFence;
  }
}
