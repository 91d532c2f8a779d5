package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A short life with every kind of write and step in it: pods with claims of several kinds come and
 * go, one too many waits, a name is used again.
 */
final class CrashScript {
  private static final Duration A_WHILE = Duration.ofSeconds(40);
  private static final String NS = "ab";

  private final World world;
  private final CrashPoint crash;
  private final Recovering recovering;
  private final Rest rest;

  private CrashScript(World world, CrashPoint crash) {
    this.world = world;
    this.crash = crash;
    Grants grants = new Grants(world);
    this.recovering = new Recovering(world, new Containers(world, grants));
    this.rest = new Rest(world, grants);
  }

  /** Lives it through, with what must hold at its end; the history says what happened. */
  static List<String> run(CrashPoint crash) {
    World.Node node = new World.Node(2, Profile.V1_30);
    try (World world = new World(new Chance(1), true, crash, ImmutableList.of(node, node))) {
      crash.in(world);
      try {
        new CrashScript(world, crash).live();
      } catch (Violation broken) {
        throw new AssertionError(String.join("\n", world.history()), broken);
      }
      return world.history();
    }
  }

  private void live() {
    Users users = new Users(world);
    Users.makeClaim(world, NS, "x", "one", /* immediate= */ false);
    Users.makeClaim(world, NS, "y", "one", /* immediate= */ false);
    Users.makePod(world, NS, "together", ImmutableList.of("x", "y"));
    settle();
    Users.makeClaim(world, NS, "z", "one", /* immediate= */ true);
    Users.makePod(world, NS, "at-once", ImmutableList.of("z"));
    Users.makePod(world, NS, "generated", ImmutableList.of("t-one"));
    settle();
    Users.makePod(world, NS, "too-many", ImmutableList.of("t-two"));
    settle();
    rest.check();
    delete("together", Optional.of(0));
    deleteClaim("x");
    delete("generated", Optional.empty());
    settle();
    Users.makeClaim(world, NS, "x", "one", /* immediate= */ false);
    Users.makePod(world, NS, "again", ImmutableList.of("x"));
    deleteClaim("z");
    delete("at-once", Optional.empty());
    settle();
    rest.check();
    users.deletePods();
    settle();
    users.deleteClaims();
    settle();
    rest.checkEmpty();
  }

  private void delete(String pod, Optional<Integer> grace) {
    world
        .api()
        .get(Resource.PODS, NS, pod)
        .ifPresent(found -> Users.deletePod(world, new Pod(found), grace));
  }

  private void deleteClaim(String name) {
    world.api().delete(Resource.CLAIMS, NS, name, Optional.empty());
  }

  private void settle() {
    for (int i = 0; i < 20; i++) {
      crash.betweenSteps();
      recovering.settle(A_WHILE.dividedBy(20));
    }
  }
}
