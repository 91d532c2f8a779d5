package io.gpudra.scenarios.steps;

import java.time.Duration;

/** The end of a history, without faults: everything comes right, and at last nothing is left. */
final class Finale {
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private final World world;
  private final RandomFates fates;
  private final Users users;
  private final Grants grants;
  private final Recovering recovering;
  private final Rest rest;
  private long steps;

  Finale(World world, Users users, RandomFates fates, Grants grants, Recovering recovering) {
    this.world = world;
    this.fates = fates;
    this.users = users;
    this.grants = grants;
    this.recovering = recovering;
    this.rest = new Rest(world, grants);
  }

  /**
   * Lives through it.
   *
   * @return the steps it took
   */
  long run() {
    settle(A_MINUTE);
    world.machines().stream()
        .filter(machine -> world.chance().oneIn(2))
        .forEach(Machine::bootUnderItsPods);
    // Of a finished pod with a named claim the claim controller never lets go (protocol.md 3.3).
    users.tidyUp();
    settle(LONG_ENOUGH);
    rest.check();
    if (world.extras().gates()) {
      contendForRoom();
      world.mustBeWhole();
    }
    clear();
    if (world.extras().streams()) {
      steps += new Starvation(world, recovering).threaten();
      world.mustBeWhole();
      clear();
    }
    return steps;
  }

  private void contendForRoom() {
    if (world.chance().oneIn(2)) {
      steps += new Contest(world, new Stuck(world, grants), recovering).hold();
    } else {
      steps += new HalfGroup(world, users, fates, recovering).strand();
      rest.check();
      users.tidyUp();
      settle(A_MINUTE);
      rest.check();
    }
  }

  private void clear() {
    users.deletePods();
    settle(LONG_ENOUGH);
    users.deleteWhatOldKubeletsNeverEnd();
    users.deleteClaims();
    settle(A_MINUTE);
    rest.checkEmpty();
    rebootWhereSomethingIsLeft();
    settle(A_MINUTE);
    rest.checkEmpty();
    rest.checkNothingIsPrepared();
  }

  private void rebootWhereSomethingIsLeft() {
    for (Machine machine : world.machines()) {
      if (!machine.held().isEmpty()) {
        machine.reboot();
        machine.start();
      }
    }
  }

  private void settle(Duration time) {
    steps += recovering.settle(time);
  }
}
