package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import java.time.Duration;
import java.util.Optional;

/**
 * The leader dies when some members of a group are granted, and the group cannot go on: a member is
 * gone, or no node takes pods any more. Nothing is held for it at rest.
 */
record HalfGroup(World world, Users users, RandomFates fates, Recovering recovering) {
  private static final String GROUP = "half";

  /** For what is under way, but not for another leader. */
  private static final Duration A_MOMENT = Duration.ofSeconds(2);

  private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

  /**
   * Lets the leader die where there is room for a group.
   *
   * @return the steps it took
   */
  long strand() {
    users.deletePods();
    long steps = recovering.settle(LONG_ENOUGH);
    String namespace = world.chance().of(World.NAMESPACES);
    int size = world.chance().between(2, 3);
    ImmutableList<String> members =
        Users.PODS.stream()
            .filter(name -> world.api().get(Resource.PODS, namespace, name).isEmpty())
            .limit(size)
            .collect(toImmutableList());
    fates.dieAtGrant(world.chance().between(1, size - 1));
    members.forEach(name -> makeMember(namespace, name, Integer.toString(size)));
    steps += recovering.settle(A_MOMENT);
    fates.calmDown();
    if (world.chance().oneIn(2)) {
      world.api().list(Resource.NODES).forEach(node -> users.setCordon(node, /* cordoned= */ true));
    } else {
      world
          .api()
          .get(Resource.PODS, namespace, world.chance().of(members))
          .ifPresent(pod -> Users.deletePod(world, new Pod(pod), Optional.of(0)));
    }
    return steps + recovering.settle(LONG_ENOUGH);
  }

  private void makeMember(String namespace, String name, String size) {
    ObjectNode pod = GateUsers.gated(namespace, name, ImmutableList.of("t-one"));
    GateUsers.make(world, GateUsers.inGroup(pod, GROUP, size));
  }
}
