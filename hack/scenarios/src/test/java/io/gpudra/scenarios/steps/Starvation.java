package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A group waits that fits the empty cluster. Other pods, of its own or a lower priority, come
 * without end, and each GPU that one of them leaves is wanted by others: the group starts all the
 * same.
 */
final class Starvation {
  private static final GroupTurns.Times TURNS =
      new GroupTurns.Times(Duration.ofSeconds(10), Duration.ofMinutes(1));

  private static final Duration LENGTH = Duration.ofMinutes(5);

  /** Time for a leader, which then fills the cluster. */
  private static final Duration BEFORE = Duration.ofSeconds(40);

  private static final int MAX_MEMBERS = 5;

  /** Pods that want what others leave. */
  private static final int WAITING = 3;

  private static final String GROUP = "starved";

  private final World world;
  private final Chance chance;
  private final Recovering recovering;
  private final int priority;
  private int made;

  Starvation(World world, Recovering recovering) {
    this.world = world;
    this.chance = world.chance();
    this.recovering = recovering;
    this.priority = chance.below(3);
  }

  /**
   * Lets the group wait, in a cluster in which nothing runs before.
   *
   * @return the steps it took
   */
  long threaten() {
    String wanted = chance.oneIn(3) && capacity("two") > 1 ? "two" : "one";
    int capacity = capacity(wanted);
    if (capacity < 2) {
      return 0;
    }
    world.restart(TURNS);
    IntStream.range(0, capacity("one")).forEach(unused -> makeSingle());
    long steps = recovering.settle(BEFORE);
    int size = chance.between(2, Math.min(capacity, MAX_MEMBERS));
    String namespace = chance.of(World.NAMESPACES);
    for (int i = 0; i < size; i++) {
      makeMember(namespace, "member" + i, wanted, size);
    }
    steps += mustStart();
    if (chance.oneIn(2) && !waits()) {
      String one = "member" + chance.below(size);
      steps += leave(namespace, one);
      makeMember(namespace, one, wanted, size);
      steps += mustStart();
    }
    return steps;
  }

  /** The members at their gates start, while others come and go. */
  private long mustStart() {
    long steps = 0;
    Instant end = world.clock().instant().plus(LENGTH);
    while (waits() && world.clock().instant().isBefore(end)) {
      replaceOldest();
      steps += recovering.settle(chance.millis(2_000, 4_000));
    }
    if (waits()) {
      world.broken("members of a group starve (S1)");
    }
    return steps;
  }

  /** The number of such claims that the empty cluster has room for. */
  private int capacity(String wanted) {
    return world.machines().stream().mapToInt(machine -> capacity(machine, wanted)).sum();
  }

  private static int capacity(Machine machine, String wanted) {
    Fit empty = new Fit(machine.gpus(), ImmutableList.of());
    int claims = 0;
    while (empty.fits(claims(claims + 1, wanted))) {
      claims++;
    }
    return claims;
  }

  private static ImmutableMap<ClaimUid, GpuClaimParametersSpec> claims(int count, String wanted) {
    return IntStream.range(0, count)
        .mapToObj(i -> new ClaimUid("c" + i))
        .collect(toImmutableMap(uid -> uid, uid -> Wants.spec(wanted)));
  }

  private void makeMember(String namespace, String name, String wanted, int size) {
    ObjectNode pod = GateUsers.gated(namespace, name, ImmutableList.of("t-" + wanted));
    pod.withObjectProperty("spec").put("priority", priority);
    GateUsers.make(world, GateUsers.inGroup(pod, GROUP, Integer.toString(size)));
  }

  /** A member goes while the others run, and others take its room. */
  private long leave(String namespace, String member) {
    world.api().get(Resource.PODS, namespace, member).map(Pod::new).ifPresent(this::end);
    return recovering.settle(BEFORE);
  }

  private boolean waits() {
    return pods(/* bound= */ false).anyMatch(Starvation::isMember);
  }

  private static boolean isMember(Pod pod) {
    return Facts.pod(pod).group().isPresent();
  }

  private Stream<Pod> pods(boolean bound) {
    return world.api().list(Resource.PODS).stream()
        .map(Pod::new)
        .filter(pod -> bound != pod.node().isEmpty());
  }

  /** The one that has run for the longest ends, now and then the leader, too. */
  private void replaceOldest() {
    pods(/* bound= */ true)
        .filter(pod -> !isMember(pod) && !pod.deleting())
        .min(comparing(pod -> Json.text(pod.json(), "metadata.creationTimestamp")))
        .ifPresent(this::end);
    ImmutableList<Pod> waiting =
        pods(/* bound= */ false).filter(pod -> !isMember(pod)).collect(toImmutableList());
    for (int i = waiting.size(); i < WAITING; i++) {
      makeSingle();
    }
    if (chance.oneIn(60)) {
      world.controllers().forEach(Controller::die);
    }
  }

  private void end(Pod pod) {
    boolean ran = world.actors().kubelet(pod.node()).finish(pod.uid());
    Users.deletePod(world, pod, Optional.of(0).filter(unused -> ran));
    if (world.api().get(Resource.CLAIMS, pod.namespace(), pod.name()).isPresent()) {
      world.api().delete(Resource.CLAIMS, pod.namespace(), pod.name(), Optional.empty());
    }
  }

  /** At the gate or not, or with an Immediate claim. */
  private void makeSingle() {
    String namespace = chance.of(World.NAMESPACES);
    String name = "single" + made++;
    ObjectNode pod =
        switch (chance.below(3)) {
          case 0 -> GateUsers.gated(namespace, name, List.of("t-one"));
          case 1 -> Users.pod(namespace, name, List.of("t-one"));
          default -> {
            Users.makeClaim(world, namespace, name, "one", /* immediate= */ true);
            yield Users.pod(namespace, name, List.of(name));
          }
        };
    pod.withObjectProperty("spec").put("priority", chance.below(priority + 1));
    GateUsers.make(world, pod);
  }
}
