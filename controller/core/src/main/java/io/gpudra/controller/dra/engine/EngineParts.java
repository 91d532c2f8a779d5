package io.gpudra.controller.dra.engine;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.allocator.Allocator;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.ClaimLocks;
import io.gpudra.controller.dra.allocator.GrantWriter;
import io.gpudra.controller.dra.allocator.WriteRejectionBackoff;
import io.gpudra.controller.dra.engine.ProtocolEngine.Ports;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The parts of the protocol that all kinds of work share. */
public record EngineParts<P>(
    Driver<P> driver,
    Ports ports,
    Requeuer requeuer,
    ClaimFeed feed,
    ClaimLocks locks,
    WriteRejectionBackoff rejections,
    Allocator<P> allocator,
    ClaimEventRecorder events) {

  /**
   * The parts for one driver; from now on {@code requeuer} accepts events of the cluster.
   *
   * @param writes runs the writes of a pod's claims side by side; must not be the pool that runs
   *     the loops
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public static <P> EngineParts<P> of(
      Driver<P> driver, Ports ports, Requeuer requeuer, Executor writes, LongSupplier nanoTime) {
    ClaimFeed feed = new ClaimFeed(driver, ports.claims());
    ClaimLocks locks = new ClaimLocks(requeuer::wake);
    GrantWriter writer = new GrantWriter(ports.claims(), ports.classes(), driver.name(), writes);
    WriteRejectionBackoff rejections = new WriteRejectionBackoff(nanoTime);
    requeuer.bind(feed, ports.claims());
    return new EngineParts<>(
        driver,
        ports,
        requeuer,
        feed,
        locks,
        rejections,
        new Allocator<>(driver, writer, locks, rejections, feed, requeuer.waitQueue()::committed),
        events(driver, ports));
  }

  private static ClaimEventRecorder events(Driver<?> driver, Ports ports) {
    return new ClaimEventRecorder(
        ports.reports(),
        claim ->
            ports
                .classes()
                .get(claim.className())
                .map(found -> driver.unsatisfiable(found, claim))
                .orElse(ImmutableList.of()));
  }

  /** The work waits no longer for what it got, and the losses of its claims are told. */
  public void settled(WorkKey work, Settled settled) {
    if (!settled.members().isEmpty()) {
      requeuer.waitQueue().remove(work, settled.nodes());
      settled.losses().forEach((claim, kind) -> events.lost(claim, kind, settled.pod(claim)));
    }
  }

  /** Reads the claims of pods. */
  public PodClaims<P> podClaims() {
    return new PodClaims<>(driver, ports.claims()::get, ports.classes());
  }
}
