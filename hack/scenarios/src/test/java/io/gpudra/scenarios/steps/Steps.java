package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.actor.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs one seed. */
final class Steps {

  /**
   * What became of a seed.
   *
   * @param problem what did not stay true, empty when everything did
   * @param history in words, when it was asked for
   */
  record Result(long seed, long steps, Optional<String> problem, List<String> history) {}

  private static final ImmutableList<Hardware.Kind> PLAIN = ImmutableList.of(Hardware.Kind.PLAIN);
  private static final ImmutableList<Hardware.Kind> OF_ALL_KINDS =
      ImmutableList.of(
          Hardware.Kind.PLAIN, Hardware.Kind.CUTTABLE, Hardware.Kind.CUTTABLE, Hardware.Kind.CUT);

  private Steps() {}

  private static ImmutableList<Hardware.Kind> some(
      ImmutableList<Hardware.Kind> kinds, Chance chance) {
    return Stream.generate(() -> chance.of(kinds))
        .limit(chance.between(1, 3))
        .collect(ImmutableList.toImmutableList());
  }

  static Result run(long seed, int length, boolean chronicled) {
    Chance chance = new Chance(seed);
    Extras extras = Extras.of(seed);
    RandomFates fates = new RandomFates(chance);
    ImmutableList<Hardware.Kind> kinds = chance.oneIn(2) ? PLAIN : OF_ALL_KINDS;
    List<World.Node> nodes = new ArrayList<>();
    for (int i = chance.between(1, 3); i > 0; i--) {
      // One of 1.27 may keep the devices of a pod until it boots (protocol.md 4.6).
      Profile kubelet = chance.oneIn(5) && !extras.streams() ? Profile.V1_27 : Profile.V1_30;
      nodes.add(new World.Node(some(kinds, chance), kubelet));
    }
    try (World world = new World(chance, chronicled, fates, nodes, extras)) {
      Simulation simulation = new Simulation(world, fates);
      Optional<String> problem = Optional.empty();
      try {
        simulation.run(length);
      } catch (Violation violation) {
        problem = Optional.ofNullable(violation.getMessage());
      }
      return new Result(seed, simulation.stepsTaken(), problem, world.history());
    }
  }
}
