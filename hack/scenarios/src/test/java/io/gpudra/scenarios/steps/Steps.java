package io.gpudra.scenarios.steps;

import io.gpudra.simulator.actor.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs one seed. */
final class Steps {

  /**
   * What became of a seed.
   *
   * @param problem what did not stay true, empty when everything did
   * @param history in words, when it was asked for
   */
  record Result(long seed, long steps, Optional<String> problem, List<String> history) {}

  private Steps() {}

  static Result run(long seed, int length, boolean chronicled) {
    Chance chance = new Chance(seed);
    RandomFates fates = new RandomFates(chance);
    List<World.Node> nodes = new ArrayList<>();
    for (int i = chance.between(1, 3); i > 0; i--) {
      nodes.add(
          new World.Node(chance.between(1, 3), chance.oneIn(5) ? Profile.V1_27 : Profile.V1_30));
    }
    try (World world = new World(chance, chronicled, fates, nodes)) {
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
