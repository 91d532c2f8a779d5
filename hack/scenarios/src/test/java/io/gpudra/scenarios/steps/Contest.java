package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.Grant;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One pod ends, and others that want one whole GPU each have waited for what it leaves: none of
 * them gets it while one with a higher priority, to which it would do as well, still waits.
 */
record Contest(World world, Stuck stuck, Recovering recovering) {
  private static final Duration A_WHILE = Duration.ofSeconds(10);
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(40);

  /** A pod that waits for its only claim. */
  private record Waiter(Pod pod, ClaimFacts claim) {
    int priority() {
      return Json.at(pod.json(), "spec.priority").asInt();
    }

    String namespace() {
      return pod.namespace();
    }
  }

  /**
   * Lets newcomers wait, then one pod end.
   *
   * @return the steps it took
   */
  long hold() {
    String namespace = world.chance().of(World.NAMESPACES);
    int made = 0;
    for (String name : Users.PODS) {
      if (world.api().get(Resource.PODS, namespace, name).isEmpty()) {
        ObjectNode pod = GateUsers.gated(namespace, name, ImmutableList.of("t-one"));
        pod.withObjectProperty("spec").put("priority", made++ % 3);
        GateUsers.make(world, pod);
      }
    }
    return recovering.settle(A_WHILE) + letOneEnd();
  }

  private long letOneEnd() {
    ImmutableList<Waiter> waiters =
        pods().flatMap(pod -> waiter(pod).stream()).collect(toImmutableList());
    ImmutableList<Pod> running =
        pods().filter(pod -> !pod.node().isEmpty() && !pod.deleting()).collect(toImmutableList());
    long priorities = waiters.stream().mapToInt(Waiter::priority).distinct().count();
    if (priorities < 2 || running.isEmpty()) {
      return 0;
    }
    Users.deletePod(world, world.chance().of(running), Optional.of(0));
    long steps = recovering.settle(LONG_ENOUGH);
    waiters.forEach(
        served -> grant(served).ifPresent(grant -> mustComeFirst(served, grant, waiters)));
    return steps;
  }

  private Stream<Pod> pods() {
    return world.api().list(Resource.PODS).stream().map(Pod::new);
  }

  private Optional<Waiter> waiter(Pod pod) {
    return Optional.of(pod)
        .filter(one -> one.node().isEmpty() && Facts.pod(one).group().isEmpty())
        .filter(one -> Size.of(one).equals(Size.NONE))
        .filter(one -> Facts.gates(one).stream().allMatch(Facts.GATE::equals))
        .flatMap(stuck::onlyClaim)
        .map(claim -> new Waiter(pod, claim));
  }

  private Optional<Grant> grant(Waiter waiter) {
    return now(waiter).flatMap(Grants::grant);
  }

  private Optional<ClaimFacts> now(Waiter waiter) {
    return world
        .api()
        .get(Resource.CLAIMS, waiter.namespace(), waiter.claim().ref().name())
        .map(Facts::claim)
        .filter(claim -> claim.uid().equals(waiter.claim().uid()));
  }

  private void mustComeFirst(Waiter served, Grant grant, ImmutableList<Waiter> waiters) {
    Machine machine = world.machine(grant.node());
    waiters.stream()
        .filter(other -> other.priority() > served.priority())
        .filter(other -> other.namespace().equals(served.namespace()) || !world.extras().quotas())
        .filter(other -> now(other).filter(claim -> claim.allocation().isEmpty()).isPresent())
        .filter(other -> stuck.freeOfItsName(machine, other.claim()))
        .forEach(
            other ->
                world.broken(
                    "pod %s gets a GPU for which pod %s waits, with a higher priority"
                        .formatted(Meta.key(served.pod().json()), Meta.key(other.pod().json()))));
  }
}
