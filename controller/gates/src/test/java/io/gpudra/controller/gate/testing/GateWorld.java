package io.gpudra.controller.gate.testing;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GateReconciler;
import io.gpudra.controller.gate.GateReports;
import io.gpudra.controller.gate.GateTakeover;
import io.gpudra.controller.gate.UnitReconciler;
import io.gpudra.controller.gate.group.GroupHolds;
import io.gpudra.controller.gate.group.GroupLifter;
import io.gpudra.controller.gate.group.GroupReconciler;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.reason.UnsuitableReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** A {@link World} with pods at the gate. */
public final class GateWorld {
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  public final World world;
  public final FakeGatedPods pods;
  public final List<String> outcomes = new ArrayList<>();

  /** Normal events. */
  public final List<Warning> notes = new ArrayList<>();

  public WorkLoop gateLoop;
  public FakeGroupPlacer placer;
  private ImmutableMap<String, IntSupplier> entries = ImmutableMap.of();

  public GateWorld(ImmutableMap<String, Integer> slots) {
    world = new World(slots);
    pods = new FakeGatedPods(world);
    world.heldBack = new GroupHolds(pods);
    placer = new FakeGroupPlacer(world.driver, slots);
    gateLoop = loop();
  }

  public static GateWorld of(String node, int devices) {
    return new GateWorld(ImmutableMap.of(node, devices));
  }

  /** The process is gone; another one wins the lease. */
  public void restart() throws ApiUnavailableException {
    world.restart();
    placer = new FakeGroupPlacer(world.driver, placer.slots());
    gateLoop = loop();
    new GateTakeover(pods, world.cluster, world.requeuer).run();
  }

  private UnitReconciler units() {
    GateReports reports = new GateReports(new Sink(), outcomes::add);
    GateReconciler<String> gates =
        new GateReconciler<>(world.parts, pods, reports, PATIENCE, world::nanoTime);
    GroupReconciler<String> groups =
        new GroupReconciler<>(
            world.parts, placer, new GroupLifter(pods, reports, Runnable::run), world::nanoTime);
    entries =
        ImmutableMap.<String, IntSupplier>builder()
            .putAll(gates.entries())
            .putAll(groups.entries())
            .buildOrThrow();
    return new UnitReconciler(gates, groups);
  }

  /** Warnings and moments are those of the cluster. */
  private final class Sink implements ReportSink {
    @Override
    public void warn(Warning warning) {
      world.cluster.warn(warning);
    }

    @Override
    public void note(Warning event) {
      notes.add(event);
    }

    @Override
    public void refused(UnsuitableReason.Kind kind) {}

    @Override
    public void grantedAtGate(ClaimFacts claim, Instant created) {
      world.cluster.moments.add("granted at the gate, created at " + created);
    }
  }

  private WorkLoop loop() {
    WorkLoop loop = new WorkLoop("gates", world.requeuer.gateKeys(), units(), world.metrics);
    world.more = loop::runOnce;
    return loop;
  }

  public GateWorld claims(Some... claims) {
    for (Some claim : claims) {
      world.addClaim(claim);
    }
    return this;
  }

  public GateWorld put(SomePod pod) {
    pods.put(pod.facts());
    return this;
  }

  public GateWorld run() {
    world.run();
    return this;
  }

  public GateWorld pass(Duration time) {
    world.pass(time);
    return this;
  }

  /** The node of the claim's grant; empty if there is none. */
  public String nodeOf(String claim) {
    return world
        .claim(claim)
        .allocation()
        .flatMap(granted -> granted.ours())
        .flatMap(handle -> handle.node())
        .orElse("");
  }

  /** What is remembered, without what is not. */
  public Map<String, Integer> remembered() {
    return ImmutableSortedMap.<String, Integer>naturalOrder()
        .putAll(world.remembered())
        .putAll(
            Maps.filterValues(
                Maps.transformValues(entries, IntSupplier::getAsInt), count -> count != 0))
        .build();
  }
}
