package io.gpudra.simulator.cluster;

import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.ActorThread;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.claims.ClaimController;
import io.gpudra.simulator.kubelet.DraPlugin;
import io.gpudra.simulator.kubelet.Kubelet;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.kubelet.RunningContainer;
import io.gpudra.simulator.kubelet.Surroundings;
import io.gpudra.simulator.scheduler.Scheduler;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Scheduler, claim controller and kubelets around one API server, either on threads by the wall
 * clock ({@link #start}) or on the caller's thread by the caller's clock ({@link #stepped}). Not
 * here: garbage collection and namespaces, which are the API server's.
 */
public final class Actors implements AutoCloseable {
  private final Map<String, Kubelet> kubelets = new LinkedHashMap<>();
  private final List<Actor> controllers;
  private final List<AutoCloseable> parts = new ArrayList<>();
  private final Random random;

  private Actors(List<Actor> controllers, Random random) {
    this.controllers = controllers;
    this.random = random;
  }

  /** Starts everything; plugins may register before or after. */
  public static Actors start(Api api, ActorsConfig config) {
    Actors actors = controllers(api, config, InstantSource.system());
    for (NodeConfig node : config.nodes()) {
      Random random = new Random(actors.random.nextLong());
      Surroundings around = around(api, config, InstantSource.system(), random);
      actors.kubelets.put(node.name(), Kubelet.start(around, node));
    }
    for (Actor controller : actors.controllers) {
      String name = controller.getClass().getSimpleName();
      actors.parts.add(ActorThread.start(name, controller));
    }
    return actors;
  }

  /**
   * A cluster that moves only in {@link #step()}.
   *
   * @param plugins of a node, by its name
   */
  public static Actors stepped(
      Api api,
      ActorsConfig config,
      InstantSource clock,
      Function<String, DraPlugin.Finder> plugins) {
    Actors actors = controllers(api, config, clock);
    Surroundings around = around(api, config, clock, actors.random);
    for (NodeConfig node : config.nodes()) {
      DraPlugin.Finder ofNode = plugins.apply(node.name());
      actors.kubelets.put(node.name(), Kubelet.stepped(around, node, ofNode));
    }
    actors.parts.addAll(actors.controllers);
    return actors;
  }

  private static Surroundings around(
      Api api, ActorsConfig config, InstantSource clock, Random random) {
    return new Surroundings(api, config.timings(), config.profile(), clock, random);
  }

  private static Actors controllers(Api api, ActorsConfig config, InstantSource clock) {
    Random random = new Random(config.seed());
    Scheduler scheduler =
        new Scheduler(
            api, config.timings(), config.profile(), clock, new Random(random.nextLong()));
    ClaimController claims =
        new ClaimController(api, config.profile(), clock, new Random(random.nextLong()));
    return new Actors(List.of(scheduler, claims), random);
  }

  /** Lets one actor, drawn by the seed among those with work due now, do one piece of it. */
  public boolean step() {
    List<BooleanSupplier> steps = new ArrayList<>();
    controllers.forEach(controller -> steps.add(controller::step));
    kubelets.values().forEach(kubelet -> steps.add(kubelet::step));
    Collections.shuffle(steps, random);
    return steps.stream().anyMatch(BooleanSupplier::getAsBoolean);
  }

  /** When the next piece of work is due; empty when only a change from outside makes some. */
  public Optional<Instant> nextDue() {
    List<Instant> due = new ArrayList<>();
    controllers.forEach(controller -> controller.nextDue().ifPresent(due::add));
    kubelets.values().forEach(kubelet -> kubelet.nextDue().ifPresent(due::add));
    return due.stream().min(Instant::compareTo);
  }

  /**
   * The kubelet of a node.
   *
   * @throws IllegalArgumentException when the cluster was started without that node
   */
  public Kubelet kubelet(String node) {
    Kubelet kubelet = kubelets.get(node);
    if (kubelet == null) {
      throw new IllegalArgumentException("no node " + node);
    }
    return kubelet;
  }

  /** The containers of all nodes. */
  public List<RunningContainer> containers() {
    return kubelets.values().stream().flatMap(k -> k.containers().stream()).toList();
  }

  /** Stops everything; objects and CDI files stay as they are. */
  @Override
  public void close() {
    kubelets.values().forEach(Kubelet::close);
    parts.forEach(ActorThread::closeQuietly);
  }
}
