package io.gpudra.scenarios.steps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Lets one process die at one point: a controller at its n-th write, or a plugin at its n-th touch
 * of the node. Remembers from which line of the driver each point was reached.
 */
final class CrashPoint implements Fates {

  /** How a controller dies at a write, and when that write lands. */
  enum Landing {
    NEVER(Fate.DIES_BEFORE),
    AT_ONCE(Fate.DIES_AFTER),
    BEFORE_TAKEOVER(Fate.DIES_LATE),
    DURING_TAKEOVER(Fate.DIES_LATE),
    AFTER_TAKEOVER(Fate.DIES_LATE);

    private final Fate fate;

    Landing(Fate fate) {
      this.fate = fate;
    }
  }

  private static final StackWalker STACK = StackWalker.getInstance();

  private final int write;
  private final Landing landing;
  private final int touch;
  private final Set<String> sites = new TreeSet<>();
  private final List<String> troubles = new ArrayList<>();
  private Optional<String> takingOver = Optional.empty();
  private World world;
  private int writes;
  private int touches;
  private int writesInTrouble;
  private boolean answered = true;
  private boolean died;

  private CrashPoint(int write, Landing landing, int touch) {
    this.write = write;
    this.landing = landing;
    this.touch = touch;
  }

  static CrashPoint none() {
    return new CrashPoint(-1, Landing.NEVER, -1);
  }

  static CrashPoint atWrite(int write, Landing landing) {
    return new CrashPoint(write, landing, -1);
  }

  static CrashPoint atTouch(int touch) {
    return new CrashPoint(-1, Landing.NEVER, touch);
  }

  void in(World theWorld) {
    world = theWorld;
  }

  /** The next write whose words begin so has this fate, before any crash point counts. */
  CrashPoint with(String trouble) {
    troubles.add(trouble);
    return this;
  }

  /** Whether the point was reached. */
  boolean died() {
    return died;
  }

  int writes() {
    return writes;
  }

  /** Up to the end of what the first trouble led to. */
  int writesInTrouble() {
    return writesInTrouble;
  }

  /** What comes now comes in a life without troubles, too. */
  void calm() {
    writesInTrouble = writes;
  }

  int touches() {
    return touches;
  }

  Set<String> sites() {
    return sites;
  }

  @Override
  public Fate ofWrite(Controller who, String words) {
    sites.add(site("io.gpudra.controller.dra.", "io.gpudra.controller.gate."));
    if (writes++ == write) {
      died = true;
      world.say("%s dies at %s", who.name(), words);
      return landing.fate;
    }
    if (troubles.remove("dies after " + words)) {
      return Fate.DIES_AFTER;
    }
    return troubles.remove("refuses " + words) ? Fate.REFUSED : Fate.ANSWERED;
  }

  private static String site(String... drivers) {
    return STACK.walk(
        frames ->
            frames
                .filter(frame -> Stream.of(drivers).anyMatch(frame.getClassName()::startsWith))
                .map(frame -> site(frame.getFileName(), frame.getLineNumber()))
                .findFirst()
                .orElse("nowhere"));
  }

  static String site(String file, int line) {
    return file + ":" + line;
  }

  @Override
  public boolean losesRead(Controller who) {
    return false;
  }

  /** The first thing a new leader waits for is its list; the write lands when that is taken. */
  @Override
  public void during(Controller who) {
    boolean successor = died && who.leading() && !world.late().isEmpty();
    if (successor && landing == Landing.DURING_TAKEOVER && takingOver.isPresent()) {
      land();
    }
    takingOver = successor ? Optional.of(who.name()) : takingOver;
  }

  /** Between two steps: lands what is to land before or after the takeover. */
  void betweenSteps() {
    boolean due =
        switch (landing) {
          case BEFORE_TAKEOVER -> true;
          case AFTER_TAKEOVER, DURING_TAKEOVER ->
              world.controllers().stream().anyMatch(Controller::working);
          case NEVER, AT_ONCE -> false;
        };
    if (due && !world.late().isEmpty()) {
      land();
    }
  }

  private void land() {
    world.late().remove(0).run();
  }

  @Override
  public void at(Machine machine, String operation, boolean before) throws IOException {
    if (world == null) {
      return;
    }
    sites.add(site("io.gpudra.kubeletplugin.prepare."));
    // Before an operation all is as after the one before it, unless a call has begun since.
    if (before && !answered) {
      return;
    }
    answered = false;
    if (touches++ == touch) {
      died = true;
      world.say("plugin of %s dies %s %s", machine.name(), before ? "before" : "after", operation);
      throw machine.death();
    }
  }

  @Override
  public boolean losesAnswer(Machine machine, String call) {
    answered = true;
    return troubles.remove("loses the answer to " + call);
  }
}
