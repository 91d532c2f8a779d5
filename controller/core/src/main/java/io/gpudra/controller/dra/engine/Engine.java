package io.gpudra.controller.dra.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Claims;
import io.gpudra.controller.dra.Classes;
import io.gpudra.controller.dra.Contexts;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Pods;
import io.gpudra.controller.dra.Reports;
import io.gpudra.controller.dra.claims.ClaimReconciler;
import io.gpudra.controller.dra.granting.Allocator;
import io.gpudra.controller.dra.granting.GrantWriter;
import io.gpudra.controller.dra.granting.Ownership;
import io.gpudra.controller.dra.granting.Rejections;
import io.gpudra.controller.dra.granting.Releases;
import io.gpudra.controller.dra.granting.Takeover;
import io.gpudra.controller.dra.scheduling.PodReads;
import io.gpudra.controller.dra.scheduling.SchedulingReconciler;
import io.gpudra.controller.dra.scheduling.Survey;
import io.gpudra.controller.dra.telling.Warnings;
import io.gpudra.controller.dra.waiting.WakeUps;
import io.gpudra.controller.loop.Reconciler;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Assembles the parts of the protocol for one driver. The owner runs {@link #takeover} first, then
 * two work loops: {@link #claims} over {@link WakeUps#claimKeys}, {@link #contexts} over {@link
 * WakeUps#contextKeys}.
 */
public final class Engine {
  private final Reconciler claims;
  private final Reconciler contexts;
  private final Takeover takeover;
  private final ImmutableMap<String, IntSupplier> entries;

  /** The ports of the protocol to the cluster. */
  public record Ports(
      Claims claims, Contexts contexts, Pods pods, Classes classes, Reports reports) {}

  /**
   * Assembles the parts; from now on {@code wakeUps} accepts events of the cluster.
   *
   * @param writes runs the writes of a pod's claims side by side; must not be the pool that runs
   *     the loops
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public <P> Engine(
      Driver<P> driver, Ports ports, WakeUps wakeUps, Executor writes, LongSupplier nanoTime) {
    ClaimFeed feed = new ClaimFeed(driver, ports.claims());
    Warnings warnings =
        new Warnings(
            ports.reports(),
            claim ->
                ports
                    .classes()
                    .get(claim.className())
                    .map(found -> driver.unsatisfiable(found, claim))
                    .orElse(ImmutableList.of()));
    Ownership ownership = new Ownership(wakeUps::wake);
    Survey<P> survey = new Survey<>(driver, ports.claims(), ports.classes());
    GrantWriter writer = new GrantWriter(ports.claims(), ports.classes(), driver.name());
    Rejections rejections = new Rejections(nanoTime);
    Allocator<P> allocator = new Allocator<>(driver, writer, ownership, rejections, feed, writes);
    Releases releases = new Releases(ports.claims(), driver, ownership, feed, warnings);
    this.claims = new ClaimReconciler<>(survey, allocator, releases, ownership, wakeUps, warnings);
    PodReads pods = new PodReads(ports.pods(), nanoTime);
    this.contexts =
        new SchedulingReconciler<>(ports.contexts(), pods, survey, allocator, wakeUps, warnings);
    this.takeover = new Takeover(ports.claims(), ports.contexts(), feed, wakeUps, warnings);
    this.entries =
        ImmutableMap.of(
            "waiters", wakeUps.waiters()::waiting,
            "told", wakeUps.waiters()::told,
            "offers", wakeUps.waiters()::offers,
            "names", wakeUps::named,
            "podReads", pods::size,
            "ownedClaims", ownership::size,
            "openBatches", allocator::size,
            "rejections", rejections::size);
    wakeUps.learn(feed, ports.claims());
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
  public Takeover takeover() {
    return takeover;
  }
}
