package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import java.time.Duration;
import java.util.Optional;

/** A life on one stage: what users do, with time for everybody else in between. */
final class CrashScript {
  private static final Duration A_WHILE = Duration.ofSeconds(40);
  private static final Duration A_MOMENT = Duration.ofSeconds(2);
  private static final String NS = "ab";

  private final World world;
  private final CrashPoint crash;
  private final Recovering recovering;
  private final Rest rest;
  private final Grants grants;
  private final Users users;

  CrashScript(World world, CrashPoint crash) {
    this.world = world;
    this.crash = crash;
    this.grants = new Grants(world);
    this.recovering = new Recovering(world, new Containers(world, grants));
    this.rest = new Rest(world, grants);
    this.users = new Users(world);
  }

  void makeClaim(String name, String parameters, boolean immediate) {
    Users.makeClaim(world, NS, name, parameters, immediate);
  }

  void makePod(String name, String... sources) {
    Users.makePod(world, NS, name, ImmutableList.copyOf(sources));
  }

  void makeGated(String name, String... sources) {
    GateUsers.make(world, GateUsers.gated(NS, name, ImmutableList.copyOf(sources)));
  }

  /** Makes a member of a group, with a claim of its own. */
  void makeMember(String name, String group, String size) {
    ObjectNode pod = GateUsers.gated(NS, name, ImmutableList.of("t-one"));
    GateUsers.make(world, GateUsers.inGroup(pod, group, size));
  }

  /** Makes a pod that the controller judges wrong. */
  void makeNowhere(String name, String source) {
    ObjectNode pod = GateUsers.gated(NS, name, ImmutableList.of(source));
    GateUsers.make(world, GateUsers.toNowhere(pod));
  }

  /** The quota allows so many GPUs from now on. */
  void setQuota(int gpus) {
    world.setQuota(NS, "q0", Optional.of(Quotas.Hard.ofGpus(gpus * Quotas.GPU)));
  }

  void delete(String pod, Optional<Integer> grace) {
    world
        .api()
        .get(Resource.PODS, NS, pod)
        .ifPresent(found -> Users.deletePod(world, new Pod(found), grace));
  }

  void deleteClaim(String name) {
    world.api().delete(Resource.CLAIMS, NS, name, Optional.empty());
  }

  void settle() {
    for (int i = 0; i < 20; i++) {
      crash.betweenSteps();
      recovering.settle(A_WHILE.dividedBy(20));
    }
  }

  /** Time for what is under way, but not for another leader. */
  void moment() {
    crash.betweenSteps();
    recovering.settle(A_MOMENT);
  }

  /** All is as it should be while claims are in use. */
  void check() {
    rest.check();
  }

  /** The same, and so many claims are granted. */
  void check(int granted) {
    check();
    if (Iterables.size(grants.all()) != granted) {
      throw new Violation("not %d claims are granted: %s".formatted(granted, grants.all()));
    }
  }

  void end() {
    users.deletePods();
    settle();
    users.deleteClaims();
    settle();
    rest.checkEmpty();
  }
}
