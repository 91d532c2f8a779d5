package io.gpudra.scenarios.steps;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gate.GateTakeover;
import io.gpudra.controller.gate.group.GroupHolds;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.PodRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;
import java.util.function.Predicate;

/** One controller process, from its start to its death: the real engine over ports in memory. */
final class Controller {
  private final String name;
  private final World world;
  private final Candidate candidate;
  private final Ledgers ledgers;
  private final Requeuer requeuer;
  private final ProtocolEngine engine;
  private final WorkLoop claimLoop;
  private final WorkLoop contextLoop;
  private final Optional<QuotaPort> quotas;
  private final Optional<GatePort> pods;
  private final Optional<Gates> gates;
  private final Informers informers;

  private boolean dead;
  private boolean paused;
  private boolean working;
  private long lostNanos;

  Controller(String name, World world) {
    this.name = name;
    this.world = world;
    this.candidate = new Candidate(name, world.lease(), this::nanos);
    this.requeuer = new Requeuer(this::nanos, world.chance().random());
    ClaimCache claims = new ClaimCache(requeuer);
    QuotaBook book = new QuotaBook(claims::className);
    this.ledgers = new Ledgers(book, this::nanos);
    ledgers.setListener(new Alerts(world, requeuer));
    this.quotas =
        world.extras().quotas()
            ? Optional.of(new QuotaPort(world, book, ledgers, requeuer))
            : Optional.empty();
    Informers.Caches caches =
        new Informers.Caches(
            claims,
            new ContextPort(this, world),
            new ClassCache(world),
            new Parameters(world.parameters()),
            world.extras().gates() ? Optional.of(new GatePort(this, world)) : Optional.empty());
    this.pods = caches.pods();
    EngineParts<GpuRequest> parts = parts(caches);
    this.engine = new ProtocolEngine(parts, this::nanos, heldBack(caches.pods()));
    this.gates = gates(parts, caches);
    MetricRegistry metrics = new MetricRegistry();
    this.claimLoop =
        new WorkLoop("claims", requeuer.claimKeys(), watched(engine.claims()), metrics);
    this.contextLoop =
        new WorkLoop("contexts", requeuer.contextKeys(), watched(engine.contexts()), metrics);
    this.informers = new Informers(world, caches, requeuer, ledgers);
  }

  private EngineParts<GpuRequest> parts(Informers.Caches caches) {
    GpuDriver driver =
        new GpuDriver(
            Facts.DRIVER, caches.parameters(), ledgers, this::audit, new Alerts(world, requeuer));
    return EngineParts.of(
        new WatchedDriver<>(driver, ledgers, this, world),
        new ProtocolEngine.Ports(
            new ClaimPort(this, world, caches.claims()),
            caches.contexts(),
            this::read,
            caches.classes(),
            SILENT),
        requeuer,
        Runnable::run,
        this::nanos);
  }

  private Optional<Gates> gates(EngineParts<GpuRequest> parts, Informers.Caches caches) {
    return caches
        .pods()
        .map(
            port ->
                Gates.of(
                    parts,
                    new WatchedPods(port, caches.claims(), caches.classes(), this, world),
                    new WatchedPlacer<>(placer(), quotas, this),
                    this::nanos,
                    this::watched));
  }

  private GpuGroupPlacer placer() {
    GroupTurns turns =
        new GroupTurns(
            ledgers, world.turns(), this::nanos, world.clock()::instant, requeuer::wakeAfter);
    return new GpuGroupPlacer(ledgers, this::audit, turns);
  }

  private GrantAudit audit() {
    return new GrantAudit(world.lease().epoch(), world.clock().instant());
  }

  private static Predicate<PodFacts> heldBack(Optional<GatePort> pods) {
    return pods.<Predicate<PodFacts>>map(GroupHolds::new).orElse(pod -> false);
  }

  private static final ReportSink SILENT =
      new ReportSink() {
        @Override
        public void warn(Warning warning) {}

        @Override
        public void refused(UnsuitableReason.Kind kind) {}
      };

  /** The loop catches everything; what is no expected end of a pass must be seen all the same. */
  private Reconciler watched(Reconciler reconciler) {
    return key -> {
      mustLive();
      try {
        return reconciler.reconcile(key);
      } catch (RuntimeException e) {
        if (!dead) {
          world.broken(name + " fails at " + key, e);
        }
        throw e;
      }
    };
  }

  String name() {
    return name;
  }

  Ledgers ledgers() {
    return ledgers;
  }

  Optional<QuotaPort> quotas() {
    return quotas;
  }

  Optional<GatePort> pods() {
    return pods;
  }

  Informers informers() {
    return informers;
  }

  long nanos() {
    return world.clock().nanos() - lostNanos;
  }

  boolean mayWrite() {
    return candidate.mayWrite();
  }

  boolean leading() {
    return candidate.leading() && !dead;
  }

  boolean working() {
    return working && !dead;
  }

  boolean runnable() {
    return !dead && !paused;
  }

  boolean dead() {
    return dead;
  }

  void pause() {
    paused = true;
  }

  /**
   * Goes on.
   *
   * @param lost by how much its clock stood still
   */
  void goOn(long lost) {
    paused = false;
    lostNanos += lost;
  }

  void die() {
    dead = true;
    informers.close();
  }

  void mustLive() {
    if (dead) {
      throw new Death(name);
    }
  }

  /** Other threads, and the rest of the world, may go on here. */
  void breathe() {
    mustLive();
    world.fates().during(this);
    mustLive();
  }

  /** A read is answered, after whatever happens until then. */
  void awaitRead(String what) throws ApiUnavailableException {
    breathe();
    if (world.fates().losesRead(this)) {
      world.say("%s gets no answer about %s", name, what);
      throw new ApiUnavailableException(what);
    }
  }

  private Optional<PodFacts> read(PodRef ref) throws ApiUnavailableException {
    awaitRead("pod " + ref.name());
    return world
        .api()
        .get(Resource.PODS, ref.namespace(), ref.name())
        .filter(pod -> Meta.uid(pod).equals(ref.uid()))
        .map(Pod::new)
        .map(Facts::pod);
  }

  /** Works on one claim, context or pod at the gate; false when none is due. */
  boolean work(boolean claimsFirst) {
    if (!working) {
      return false;
    }
    boolean gatesFirst = gates.isPresent() && world.chance().oneIn(2);
    if (gatesFirst && gates.get().loop().runOnce()) {
      return true;
    }
    boolean worked =
        claimsFirst
            ? claimLoop.runOnce() || contextLoop.runOnce()
            : contextLoop.runOnce() || claimLoop.runOnce();
    return worked || (!gatesFirst && gates.filter(some -> some.loop().runOnce()).isPresent());
  }

  /** Looks at the lease if it is time to; false when it is not. */
  boolean campaign() {
    if (!candidate.due()) {
      return false;
    }
    boolean answered = !world.fates().losesRead(this);
    switch (candidate.look(answered)) {
      case NOTHING -> {}
      case WON -> world.say("%s leads", name);
      case LOST -> {
        world.say("%s has lost the lease and ends", name);
        die();
      }
    }
    if (leading() && !working) {
      takeOver();
    }
    return true;
  }

  private void takeOver() {
    try {
      ImmutableList<ObjectKey> halfDone = engine.takeover().run();
      world.say("%s has raised the fence, %d pods half done", name, halfDone.size());
      halfDone.forEach(contextLoop::runNow);
      gates.map(Gates::takeover).ifPresent(GateTakeover::run);
      working = true;
      world.tookOver();
    } catch (ApiUnavailableException again) {
      world.say("%s has not raised the fence", name);
    } catch (Death died) {
      world.say("%s dies while it takes over", name);
    }
  }
}
