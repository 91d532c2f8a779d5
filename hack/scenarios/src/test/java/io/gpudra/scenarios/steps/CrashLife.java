package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.steps.Hardware.Kind;
import io.gpudra.simulator.actor.Profile;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Short lives with, together, every kind of write and step in them. */
enum CrashLife {
  /** Pods with claims of several kinds come and go, one too many waits, a name is used again. */
  WHOLE(2, Kind.PLAIN, Kind.PLAIN) {
    @Override
    void live(CrashScript script, CrashPoint crash) {
      script.makeClaim("x", "one", /* immediate= */ false);
      script.makeClaim("y", "one", /* immediate= */ false);
      script.makePod("together", "x", "y");
      script.settle();
      crash.calm();
      script.makeClaim("z", "one", /* immediate= */ true);
      script.makePod("at-once", "z");
      script.makePod("generated", "t-one");
      script.settle();
      script.makePod("too-many", "t-two");
      script.settle();
      script.check();
      script.delete("together", Optional.of(0));
      script.deleteClaim("x");
      script.delete("generated", Optional.empty());
      script.settle();
      script.makeClaim("x", "one", /* immediate= */ false);
      script.makePod("again", "x");
      script.deleteClaim("z");
      script.delete("at-once", Optional.empty());
      script.settle();
      script.check();
      script.end();
    }
  },

  /** Two of each kind share a GPU, one after the other; GPUs are cut and are whole again. */
  PARTS(1, Kind.CUTTABLE, Kind.CUT) {
    @Override
    void live(CrashScript script, CrashPoint crash) {
      pair(script, "half", "slices");
      pair(script, "turns", "turns");
      pair(script, "served", "served");
      script.makeClaim("x", "parted", /* immediate= */ false);
      script.makePod("whole", "x");
      script.settle();
      script.check();
      script.end();
    }

    private void pair(CrashScript script, String one, String other) {
      script.makeClaim(one + "-1", one, /* immediate= */ false);
      script.makePod("first", one + "-1");
      script.makeClaim(other + "-2", other, /* immediate= */ false);
      script.makePod("second", other + "-2");
      script.settle();
      script.check();
      script.delete("first", Optional.of(0));
      script.settle();
      script.delete("second", Optional.of(0));
      script.deleteClaim(one + "-1");
      script.deleteClaim(other + "-2");
      script.settle();
    }
  },

  /**
   * Pods at gates: one with two claims that is made again under its name, a group that waits for
   * its room and then loses a member, one that no node suits.
   */
  GATED(
      new Extras(/* gates= */ true, /* quotas= */ false, /* streams= */ false),
      2,
      Kind.PLAIN,
      Kind.PLAIN) {
    @Override
    void live(CrashScript script, CrashPoint crash) {
      script.makeClaim("x", "one", /* immediate= */ false);
      script.makeClaim("y", "one", /* immediate= */ false);
      script.makeGated("together", "x", "y");
      script.moment();
      script.delete("together", Optional.of(0));
      script.makeGated("together", "x", "y");
      script.settle();
      crash.calm();
      ImmutableList.of("a", "b", "c").forEach(name -> script.makeMember(name, "g", "3"));
      script.settle();
      script.check();
      script.delete("together", Optional.of(0));
      script.settle();
      script.check();
      script.delete("b", Optional.of(0));
      script.makeMember("b", "g", "3");
      script.settle();
      script.check();
      ImmutableList.of("a", "b", "c").forEach(name -> script.delete(name, Optional.of(0)));
      script.makeNowhere("together", "y");
      script.settle();
      script.check();
      script.end();
    }
  },

  /**
   * More pods than a quota allows, at gates and not, and a group: as many run as it allows, when
   * one ends, when it is lowered and when it is raised.
   */
  LIMITED(
      new Extras(/* gates= */ true, /* quotas= */ true, /* streams= */ false),
      2,
      Kind.PLAIN,
      Kind.PLAIN) {
    @Override
    void live(CrashScript script, CrashPoint crash) {
      script.setQuota(2);
      script.makeGated("first", "t-one");
      script.makePod("second", "t-one");
      script.settle();
      script.makePod("third", "t-one");
      script.makeGated("fourth", "t-one");
      script.settle();
      // The patience of a gate begins anew with another leader.
      script.settle();
      script.check(2);
      script.setQuota(1);
      script.delete("first", Optional.of(0));
      script.settle();
      script.check(1);
      script.setQuota(3);
      script.settle();
      script.check(3);
      ImmutableList.of("a", "b").forEach(name -> script.makeMember(name, "g", "2"));
      script.delete("second", Optional.of(0));
      script.settle();
      script.check(2);
      script.delete("third", Optional.of(0));
      script.settle();
      script.check(3);
      script.end();
    }
  };

  private final Extras extras;
  private final int nodes;
  private final ImmutableList<Kind> gpus;

  CrashLife(int nodes, Kind... gpus) {
    this(Extras.NONE, nodes, gpus);
  }

  CrashLife(Extras extras, int nodes, Kind... gpus) {
    this.extras = extras;
    this.nodes = nodes;
    this.gpus = ImmutableList.copyOf(gpus);
  }

  abstract void live(CrashScript script, CrashPoint crash);

  /** Lives it through, with what must hold at its end; the history says what happened. */
  List<String> run(CrashPoint crash) {
    World.Node node = new World.Node(gpus, Profile.V1_30);
    try (World world =
        new World(new Chance(1), true, crash, Collections.nCopies(nodes, node), extras)) {
      crash.in(world);
      try {
        live(new CrashScript(world, crash), crash);
      } catch (Violation broken) {
        throw new AssertionError(String.join("\n", world.history()), broken);
      }
      return world.history();
    }
  }
}
