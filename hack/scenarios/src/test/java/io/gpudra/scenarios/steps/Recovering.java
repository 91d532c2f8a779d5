package io.gpudra.scenarios.steps;

import java.time.Duration;
import java.time.Instant;

/** Nothing goes wrong any more: all that is due is done, and whoever died is started again. */
record Recovering(World world, Containers containers) {
  private static final int RESTLESS = 20_000;

  /**
   * Lets so much time pass.
   *
   * @return the steps it took
   */
  long settle(Duration time) {
    Instant end = world.clock().instant().plus(time);
    long steps = exhaust();
    while (world.clock().instant().isBefore(end)) {
      world.pass(untilSomethingIsDue());
      world.machines().stream().filter(Machine::silent).forEach(Machine::doChores);
      world.machines().stream().filter(Machine::silent).forEach(Machine::publish);
      steps += exhaust();
    }
    return steps;
  }

  private Duration untilSomethingIsDue() {
    Instant now = world.clock().instant();
    return world
        .actors()
        .nextDue()
        .map(due -> Duration.between(now, due))
        .filter(wait -> wait.compareTo(Lease.RETRY) < 0)
        .map(wait -> wait.isZero() || wait.isNegative() ? Duration.ofMillis(100) : wait)
        .orElse(Lease.RETRY);
  }

  private long exhaust() {
    for (long i = 0; ; i++) {
      if (!moves()) {
        world.mustBeWhole();
        return i;
      }
      containers.check();
      world.mustBeWhole();
      if (i == RESTLESS) {
        throw new Violation("the cluster never comes to rest");
      }
    }
  }

  private boolean moves() {
    for (Machine machine : world.machines()) {
      if (!machine.lives()) {
        machine.start();
      }
      if (machine.hasNews()) {
        machine.publish();
        return true;
      }
    }
    for (Controller controller : world.twoControllers()) {
      if (controller.informers().deliverAny()
          || controller.campaign()
          || controller.work(/* claimsFirst= */ false)) {
        return true;
      }
    }
    return world.api().step() || world.actors().step() || world.otherDriver().act();
  }
}
