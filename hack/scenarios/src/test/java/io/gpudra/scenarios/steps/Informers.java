package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The watches of one controller. Each brings its events in order and late; nothing orders the
 * events of two.
 */
final class Informers {
  private final World world;
  private final Caches caches;
  private final Requeuer requeuer;
  private final Ledgers ledgers;
  private final Deque<Runnable> claims = new ArrayDeque<>();
  private final Deque<Runnable> contexts = new ArrayDeque<>();
  private final Deque<Runnable> nodes = new ArrayDeque<>();
  private final Deque<Runnable> pods = new ArrayDeque<>();
  private final List<Deque<Runnable>> all;
  private final ImmutableList<AutoCloseable> watches;
  private boolean closed;

  /** What they write. */
  record Caches(
      ClaimCache claims,
      ContextPort contexts,
      ClassCache classes,
      Parameters parameters,
      Optional<GatePort> pods) {}

  /** Lists everything, then watches. */
  Informers(World world, Caches caches, Requeuer requeuer, Ledgers ledgers) {
    this.world = world;
    this.caches = caches;
    this.requeuer = requeuer;
    this.ledgers = ledgers;
    this.all =
        caches.pods().isPresent()
            ? Arrays.asList(claims, contexts, nodes, pods)
            : Arrays.asList(claims, contexts, nodes);
    relistClaims();
    world.api().list(Resource.CONTEXTS).stream()
        .map(Facts::context)
        .forEach(caches.contexts()::changed);
    world.inventories().forEach(ledgers::observe);
    ImmutableList.Builder<AutoCloseable> watching = ImmutableList.builder();
    watching.add(
        world.api().watch(Resource.CLASSES, this::resourceClass),
        world.api().watch(Resource.CLAIMS, this::claim),
        world.api().watch(Resource.CONTEXTS, this::context));
    caches
        .pods()
        .ifPresent(port -> watching.add(world.api().watch(Resource.PODS, e -> pod(port, e))));
    watches = watching.build();
  }

  private void resourceClass(WatchEvent event) {
    nodes.add(
        () -> {
          caches.classes().changed(event);
          requeuer.classChanged(Meta.name(event.object()));
        });
  }

  private void claim(WatchEvent event) {
    Seen now = Seen.of(event.object());
    boolean gone = event.type().equals("DELETED");
    claims.add(() -> tellClaim(now, gone));
  }

  private void tellClaim(Seen now, boolean gone) {
    if (gone) {
      caches.claims().gone(now);
    } else {
      caches.claims().changed(now);
    }
  }

  private void context(WatchEvent event) {
    if (event.type().equals("DELETED")) {
      ObjectKey key = new ObjectKey(Meta.namespace(event.object()), Meta.name(event.object()));
      contexts.add(
          () -> {
            caches.contexts().gone(key);
            requeuer.contextChanged(key);
          });
    } else {
      contexts.add(
          () -> {
            caches.contexts().changed(Facts.context(event.object()));
            requeuer.contextChanged(Facts.context(event.object()).key());
          });
    }
  }

  private void pod(GatePort port, WatchEvent event) {
    Pod pod = new Pod(event.object());
    GatedPod now = Facts.gatedPod(pod);
    boolean gone = event.type().equals("DELETED") || !GatePort.isWatched(pod);
    pods.add(
        () -> {
          if (gone) {
            port.gone(now);
          } else {
            port.changed(now);
          }
          requeuer.wake(WorkKey.gate(now.unit()));
        });
  }

  void inventory(Inventory inventory) {
    nodes.add(() -> ledgers.observe(inventory));
  }

  void nodeSpoke(String node) {
    nodes.add(() -> ledgers.nodeSpoke(node));
  }

  void nodeGone(String node) {
    nodes.add(() -> ledgers.nodeGone(node));
  }

  void parameters(String name, Optional<GpuClaimParameters> object) {
    nodes.add(
        () -> {
          caches.parameters().put(name, object);
          for (String namespace : World.NAMESPACES) {
            requeuer.parametersChanged(
                new ParametersRef(
                    GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(namespace), name));
          }
        });
  }

  void quotas(QuotaPort port, String namespace, ImmutableList<QuotaLimit> limits) {
    nodes.add(() -> port.tell(namespace, limits));
  }

  /** Delivers the next event of one watch; false when there is none. */
  boolean deliver(int watch) {
    Runnable event = all.get(watch % all.size()).poll();
    if (event != null) {
      event.run();
    }
    return event != null;
  }

  /** The number of watches. */
  int count() {
    return all.size();
  }

  boolean deliverAny() {
    return IntStream.range(0, count()).anyMatch(this::deliver);
  }

  boolean behind() {
    return all.stream().anyMatch(queue -> !queue.isEmpty());
  }

  /** The watch of claims breaks and the history is too old: a list takes its place. */
  void relistClaims() {
    claims.clear();
    caches.claims().relisted(world.claims(), world.api().revision());
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    all.forEach(Deque::clear);
    for (AutoCloseable watch : watches) {
      try {
        watch.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
