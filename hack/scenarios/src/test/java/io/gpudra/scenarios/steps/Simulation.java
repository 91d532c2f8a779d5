package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.Kubelet;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** One history: chance moves the cluster a while, then everything heals and must come right. */
final class Simulation {
  /** One in so many steps a late write lands: most of them where they do most harm. */
  private static final int NEW_LEADER = 8;

  private static final int LATE = 300;

  private final World world;
  private final Chance chance;
  private final RandomFates fates;
  private final Users users;
  private final Grants grants;
  private final Containers containers;
  private final Recovering recovering;
  private final Set<String> lostNodes = new TreeSet<>();
  private long steps;

  Simulation(World world, RandomFates fates) {
    this.world = world;
    this.chance = world.chance();
    this.fates = fates;
    this.grants = new Grants(world);
    this.containers = new Containers(world, grants);
    this.recovering = new Recovering(world, containers);
    this.users = new Users(world);
    fates.move(this);
  }

  long stepsTaken() {
    return steps;
  }

  /** Lives through a history of so many steps and its end. */
  void run(int length) {
    world.twoControllers();
    for (int i = 0; i < 6; i++) {
      users.act();
    }
    while (steps < length) {
      step();
      world.mustBeWhole();
    }
    heal();
    steps += new Finale(world, users, fates, grants, recovering).run();
  }

  void steps(int count) {
    for (int i = 0; i < count; i++) {
      step();
    }
  }

  /** Something happens. */
  private void step() {
    steps++;
    if (!world.late().isEmpty() && chance.oneIn(world.hasNewLeader() ? NEW_LEADER : LATE)) {
      landLate();
    }
    if (chance.oneIn(100)) {
      world.twoControllers();
    }
    int drawn = chance.below(1000);
    if (drawn < 380) {
      moveActors();
    } else if (drawn < 660) {
      moveController();
    } else if (drawn < 840) {
      deliver();
    } else if (drawn < 855) {
      publish();
    } else if (drawn < 885) {
      pass(leaderless() || chance.oneIn(20) ? chance.millis(500, 6_000) : chance.millis(1, 200));
    } else if (drawn < 985) {
      users.act();
    } else {
      goWrong();
    }
    containers.check();
    if (world.extras().quotas()) {
      World.NAMESPACES.forEach(this::mustKeepQuotas);
    }
  }

  private void mustKeepQuotas(String namespace) {
    if (!world.clocksStop() && !world.quotas().holds(namespace, grants)) {
      world.broken("%s holds more than its quotas ever allowed (Q3)".formatted(namespace));
    }
  }

  private void moveActors() {
    boolean moved =
        (chance.oneIn(10) && world.otherDriver().act())
            || world.api().step()
            || world.actors().step();
    if (!moved) {
      idle();
    }
  }

  /** Nobody has anything to do before some time has passed. */
  private void idle() {
    Instant now = world.clock().instant();
    Duration wait =
        world
            .actors()
            .nextDue()
            .map(due -> Duration.between(now, due))
            .filter(due -> !due.isNegative() && due.compareTo(Lease.LENGTH) < 0)
            .filter(due -> chance.oneIn(2))
            .orElse(chance.millis(1, leaderless() ? 9_000 : 100));
    pass(wait.plusMillis(1));
  }

  private boolean leaderless() {
    return world.controllers().stream().noneMatch(Controller::leading);
  }

  private void moveController() {
    ImmutableList<Controller> able = able();
    if (able.isEmpty()) {
      moveActors();
      return;
    }
    Controller controller = someLeaderAmong(able);
    boolean moved =
        controller.campaign()
            || controller.work(chance.oneIn(2))
            || controller.informers().deliver(chance.below(controller.informers().count()));
    if (!moved) {
      moveActors();
    }
  }

  private ImmutableList<Controller> able() {
    return world.controllers().stream()
        .filter(Controller::runnable)
        .collect(ImmutableList.toImmutableList());
  }

  /** Mostly one that leads: what a standby does matters less. */
  private Controller someLeaderAmong(ImmutableList<Controller> able) {
    ImmutableList<Controller> leaders =
        able.stream().filter(Controller::leading).collect(ImmutableList.toImmutableList());
    return chance.of(leaders.isEmpty() || chance.oneIn(4) ? able : leaders);
  }

  private void deliver() {
    ImmutableList<Controller> able = able();
    if (!able.isEmpty()) {
      Controller controller = someLeaderAmong(able);
      bring(controller);
    }
  }

  private void bring(Controller controller) {
    int watch = chance.below(controller.informers().count());
    for (int i = chance.between(1, 4); i > 0; i--) {
      controller.informers().deliver(watch);
    }
  }

  /** Other threads of the same process get their turn. */
  void otherThreads(Controller controller) {
    for (int i = chance.between(1, 4); i > 0 && !controller.dead(); i--) {
      steps++;
      if (chance.oneIn(3)) {
        bring(controller);
      } else if (!controller.work(chance.oneIn(2))) {
        moveActors();
      }
    }
  }

  private void publish() {
    Machine machine = chance.of(world.machines());
    if (machine.lives() && !lostNodes.contains(machine.name())) {
      machine.publish();
    }
  }

  private void pass(Duration time) {
    world.pass(time);
    if (!chance.oneIn(20)) {
      able().forEach(Controller::campaign);
    }
  }

  private void goWrong() {
    switch (chance.below(18)) {
      case 0 -> killController();
      case 1, 2, 3, 4 -> breakWatch();
      case 5 -> killPlugin();
      case 6, 7, 8, 9 -> startPlugins();
      case 10 -> loseNode();
      case 11, 12, 13 -> findNode();
      case 14 -> world.machines().forEach(Machine::doChores);
      case 15, 16 -> reboot();
      default -> able().stream().findFirst().ifPresent(c -> pause(c, chance.between(20, 100)));
    }
  }

  private void killController() {
    ImmutableList<Controller> able = able();
    if (!able.isEmpty()) {
      Controller controller = chance.of(able);
      world.say("%s is killed", controller.name());
      controller.die();
    }
  }

  private void breakWatch() {
    ImmutableList<Controller> able = able();
    if (!able.isEmpty()) {
      Controller controller = chance.of(able);
      world.say("%s lists the claims again", controller.name());
      controller.informers().relistClaims();
    }
  }

  private void landLate() {
    if (!world.late().isEmpty()) {
      world.late().remove(chance.below(world.late().size())).run();
    }
  }

  private void killPlugin() {
    Machine machine = chance.of(world.machines());
    world.say("plugin of %s ends", machine.name());
    if (chance.oneIn(2)) {
      machine.stop();
    } else {
      machine.kill();
    }
  }

  private void startPlugins() {
    for (Machine machine : world.machines()) {
      if (machine.lives()) {
        machine.rejoin();
        continue;
      }
      if (chance.oneIn(4)) {
        machine.goesStale();
      }
      machine.start();
    }
  }

  /** Its pods may be deleted by force meanwhile; then their claims are used again later. */
  private void reboot() {
    Machine machine = chance.of(world.machines());
    if (lostNodes.contains(machine.name())) {
      return;
    }
    if (chance.oneIn(3)) {
      machine.bootUnderItsPods();
      return;
    }
    machine.powerOff();
    ImmutableList<Pod> gone = users.deleteByForce(machine.name());
    machine.powerOn();
    if (!gone.isEmpty()) {
      users.comeAnew(gone);
      steps(chance.between(50, 300));
      users.useClaimsAgain(gone);
    }
  }

  private void loseNode() {
    if (!world.losesNodes() || !lostNodes.isEmpty()) {
      return;
    }
    Machine machine = chance.of(world.machines());
    lostNodes.add(machine.name());
    world.disturbances().disturbed(machine);
    world.say("node %s is lost", machine.name());
    Kubelet kubelet = world.actors().kubelet(machine.name());
    kubelet.stop();
    kubelet.ready(false);
    machine.goesStale();
    if (chance.oneIn(2)) {
      world.say("its Node object is deleted, its pods are collected");
      world.api().delete(Resource.NODES, "", machine.name(), Optional.empty());
      for (var json : world.api().list(Resource.PODS)) {
        Pod pod = new Pod(json);
        if (pod.node().equals(machine.name())) {
          world.api().delete(Resource.PODS, pod.namespace(), pod.name(), Optional.of(0));
        }
      }
    }
  }

  private void findNode() {
    for (String node : lostNodes) {
      world.say("node %s is back", node);
      world.actors().kubelet(node).start();
      world.nodeChanged(node);
      if (world.machine(node).lives()) {
        world.machine(node).publish();
      }
    }
    lostNodes.clear();
  }

  /** This process stands still while others go on; with it, now and then, its clock. */
  void pause(Controller controller, int time) {
    long from = world.clock().nanos();
    boolean clockStops = world.clocksStop() && chance.oneIn(2);
    world.say("%s stands still%s", controller.name(), clockStops ? ", and its clock" : "");
    controller.pause();
    try {
      for (int i = 0; i < time; i++) {
        step();
        if (chance.oneIn(4)) {
          pass(chance.millis(100, 3_000));
        }
      }
    } finally {
      controller.goOn(clockStops ? world.clock().nanos() - from : 0);
      world.say("%s goes on", controller.name());
    }
  }

  // ---- the end

  private void heal() {
    world.say("all faults end");
    fates.calmDown();
    while (!world.late().isEmpty()) {
      landLate();
    }
    findNode();
    for (Machine machine : world.machines()) {
      if (!machine.lives()) {
        machine.start();
      }
      machine.doChores();
      machine.publish();
    }
    users.tidyUp();
  }
}
