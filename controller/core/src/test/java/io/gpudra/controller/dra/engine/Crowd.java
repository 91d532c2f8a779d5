package io.gpudra.controller.dra.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * More pods than devices, each with one claim, and a scheduler that acts on what it is told a tick
 * later. The smaller a pod's number, the older it is.
 */
final class Crowd {
  static final Duration TICK = Duration.ofMillis(100);
  private static final int DEVICES_OF_A_NODE = 10;
  private static final int SOONEST_POLL_TICKS = 270;

  final World world;
  final ImmutableList<String> nodes;

  /** In the order in which they got their devices. */
  final List<Integer> served = new ArrayList<>();

  private final Deque<Integer> running = new ArrayDeque<>();
  private final Deque<Integer> ended = new ArrayDeque<>();
  private final Set<Integer> told = new LinkedHashSet<>();

  /** Of those who wait. */
  private final Map<Integer, Integer> lastJudged = new HashMap<>();

  private int arrived;
  private int ticks;
  private long calls;
  private long judged;
  private long waited;
  private long longestUnseen;

  Crowd(int devices) {
    nodes =
        IntStream.range(0, devices / DEVICES_OF_A_NODE)
            .mapToObj(i -> "n" + i)
            .collect(ImmutableList.toImmutableList());
    ImmutableMap.Builder<String, Integer> slots = ImmutableMap.builder();
    nodes.forEach(node -> slots.put(node, DEVICES_OF_A_NODE));
    world = new World(slots.buildOrThrow());
  }

  /** Pods are created and looked at for the first time. */
  void arrive(int pods) {
    for (int i = 0; i < pods; i++) {
      int pod = arrived++;
      WaitRank rank = new WaitRank(0, Some.EPOCH.plusMillis(pod));
      world.addClaim(Some.claim("c" + pod)).addPod("p" + pod, rank, World.direct("c" + pod));
      select(pod, nodes.get(pod % nodes.size()), ImmutableMap.of());
    }
    tick(0);
  }

  /**
   * The scheduler acts, the longest running pods end, what ended before is cleaned up, and the
   * controller works until nothing is due.
   */
  void tick(int ends) {
    ImmutableList.copyOf(told).forEach(this::schedule);
    told.clear();
    while (!ended.isEmpty()) {
      remove(ended.remove());
    }
    for (int i = 0; i < ends && !running.isEmpty(); i++) {
      end(running.remove());
    }
    world.elapse(TICK);
    ticks++;
    while (world.contextLoop.runOnce() || world.claimLoop.runOnce()) {}
    world.cluster.checkInvariants();
    world.driver.calls.stream().filter(call -> call.contains(" [c")).forEach(this::judged);
    world.driver.calls.clear();
    world.takeCalls().forEach(this::note);
    world.cluster.warnings.clear();
    waited += waiting();
    int longestAgo = lastJudged.values().stream().mapToInt(tick -> tick).min().orElse(ticks);
    longestUnseen = Math.max(longestUnseen, ticks - longestAgo);
  }

  boolean idle() {
    return running.isEmpty() && ended.isEmpty();
  }

  int waiting() {
    return arrived - served.size();
  }

  Duration elapsed() {
    return TICK.multipliedBy(ticks);
  }

  /** Calls of the API so far. */
  long calls() {
    return calls;
  }

  /** How often the driver was asked about a pod so far. */
  long judged() {
    return judged;
  }

  /** How often those who wait had to be looked at by now because of the time alone. */
  long polls() {
    return waited / SOONEST_POLL_TICKS;
  }

  /** The longest time in which somebody who waits was not judged. */
  Duration longestUnseen() {
    return TICK.multipliedBy(longestUnseen);
  }

  private void judged(String call) {
    judged++;
    lastJudged.put(number(call.substring(call.indexOf('[') + 1, call.indexOf(']'))), ticks);
  }

  private void note(String call) {
    calls++;
    String name = call.split(" ", -1)[call.startsWith("PUT") ? 2 : 1];
    if (call.startsWith("APPLY")) {
      told.add(number(name));
    } else if (call.startsWith("PUT allocate") && world.claim(name).allocatedByUs()) {
      served.add(number(name));
      running.add(number(name));
      told.remove(number(name));
      lastJudged.remove(number(name));
      world.cluster.removeContext(key(number(name)));
    }
  }

  private static int number(String name) {
    return Integer.parseInt(name.substring(1));
  }

  private static ObjectKey key(int pod) {
    return new ObjectKey(Some.NS, "p" + pod);
  }

  /** Keeps the selected node while it is not refused, and when all are. */
  private void schedule(int pod) {
    ContextFacts context = Optional.ofNullable(world.cluster.contexts.get(key(pod))).orElseThrow();
    ImmutableSet<String> refused =
        context.unsuitableNodes().getOrDefault("my-c" + pod, ImmutableSet.of());
    if (refused.contains(context.selectedNode().orElseThrow())) {
      nodes.stream()
          .filter(node -> !refused.contains(node))
          .findFirst()
          .ifPresent(node -> select(pod, node, context.unsuitableNodes()));
    }
  }

  private void select(
      int pod, String node, ImmutableMap<String, ImmutableSet<String>> unsuitableNodes) {
    String name = "p" + pod;
    world.cluster.put(
        new ContextFacts(
            World.podRef(name),
            name + "-context",
            world.cluster.nextVersion(),
            Some.EPOCH,
            false,
            Optional.of(node),
            ImmutableSet.copyOf(nodes),
            unsuitableNodes));
  }

  /** As the claim controller does when the last consumer is gone. */
  private void end(int pod) {
    world.cluster.change(Some.ref("c" + pod), s -> s.reservedFor().requested(true));
    ended.add(pod);
  }

  private void remove(int pod) {
    world.cluster.change(Some.ref("c" + pod), Some::deleting);
    world.cluster.pods.remove(World.podRef("p" + pod));
  }
}
