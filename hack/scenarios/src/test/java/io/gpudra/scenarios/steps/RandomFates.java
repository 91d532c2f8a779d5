package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import java.io.IOException;

/** Everything that can go wrong goes wrong now and then, until it is told to stop. */
final class RandomFates implements Fates {
  private static final int DEEPEST = 2;
  private static final ImmutableList<Fate> MORTAL =
      ImmutableList.of(
          Fate.REFUSED,
          Fate.DIES_BEFORE,
          Fate.DIES_AFTER,
          Fate.DIES_LATE,
          Fate.DIES_LATE,
          Fate.DIES_LATE);
  private static final ImmutableList<Fate> UNCLEAR =
      ImmutableList.of(Fate.REPLY_LOST, Fate.REQUEST_LOST, Fate.LATE);

  private final Chance chance;
  private Simulation simulation;
  private boolean calm;
  private int depth;

  /** The leader dies after so many grants, although all is calm; 0 if it does not. */
  private int grantsUntilDeath;

  RandomFates(Chance chance) {
    this.chance = chance;
  }

  void move(Simulation theSimulation) {
    simulation = theSimulation;
  }

  void calmDown() {
    calm = true;
    grantsUntilDeath = 0;
  }

  /** The process that writes this grant from now on dies of it. */
  void dieAtGrant(int grant) {
    grantsUntilDeath = grant;
  }

  @Override
  public Fate ofWrite(Controller who, String write) {
    if (calm) {
      return isDeadly(write) ? Fate.DIES_AFTER : Fate.ANSWERED;
    }
    // The one write that can grant a device twice when it lands late.
    if (write.startsWith("allocates") && chance.oneIn(12)) {
      return Fate.DIES_LATE;
    }
    int drawn = chance.below(100);
    if (drawn < MORTAL.size()) {
      return MORTAL.get(drawn);
    }
    return drawn < 20 ? UNCLEAR.get(drawn % UNCLEAR.size()) : Fate.ANSWERED;
  }

  private boolean isDeadly(String write) {
    return grantsUntilDeath > 0 && write.startsWith("allocates") && --grantsUntilDeath == 0;
  }

  @Override
  public boolean losesRead(Controller who) {
    return !calm && chance.oneIn(30);
  }

  @Override
  public void during(Controller who) {
    if (calm || depth >= DEEPEST || simulation == null || !chance.oneIn(4)) {
      return;
    }
    depth++;
    try {
      if (chance.oneIn(40)) {
        simulation.pause(who, chance.between(40, 200));
      } else if (chance.oneIn(2)) {
        simulation.otherThreads(who);
      } else {
        simulation.steps(chance.between(1, 4));
      }
    } finally {
      depth--;
    }
  }

  @Override
  public void at(Machine machine, String operation, boolean before) throws IOException {
    if (calm) {
      return;
    }
    if (chance.oneIn(250)) {
      throw machine.death();
    }
    if (before && chance.oneIn(120)) {
      throw new IOException(operation + " fails");
    }
    boolean locked = machine.locked() || operation.equals("save");
    if (!locked && depth < DEEPEST && simulation != null && chance.oneIn(8)) {
      goOnMeanwhile(simulation);
    }
  }

  private void goOnMeanwhile(Simulation others) {
    depth++;
    try {
      others.steps(chance.between(1, 3));
    } finally {
      depth--;
    }
  }

  @Override
  public boolean losesAnswer(Machine machine, String call) {
    return !calm && chance.oneIn(40);
  }
}
