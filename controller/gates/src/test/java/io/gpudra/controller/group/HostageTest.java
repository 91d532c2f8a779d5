package io.gpudra.controller.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a tenant's groups cost the others. */
final class HostageTest {
  private static final Duration STEP = Duration.ofMinutes(1);
  private static final Duration LONG = GroupWorld.HOLD.multipliedBy(8);
  private static final WaitingGroup HUGE = WaitingGroup.of("huge", 1_024, 1);

  /** Of the whole cluster. */
  private static final WaitingGroup ALL = WaitingGroup.of("all", 4, 2);

  /** Four nodes with a pod that never ends, so that no group gets the whole cluster. */
  private static GroupWorld world() {
    GroupWorld world = new GroupWorld();
    for (String node : new String[] {"a", "b", "c", "d"}) {
      world.node(node, 2);
    }
    return world.singles("endless");
  }

  /**
   * Pods of one GPU that each run for a step, as many as fit.
   *
   * @param tenant acts after each step
   * @return the number of pods
   */
  private static int podsOfOthers(GroupWorld world, Consumer<GroupWorld> tenant) {
    Deque<String> running = new ArrayDeque<>();
    int pods = 0;
    while (world.now().compareTo(LONG) < 0) {
      running.forEach(world::release);
      running.clear();
      for (boolean fits = true; fits; ) {
        String claim = "pod" + pods;
        fits = world.single(claim, 1);
        if (fits) {
          running.add(claim);
          pods++;
        }
      }
      tenant.accept(world);
      world.pass(STEP);
    }
    return pods;
  }

  private static final int ALONE = podsOfOthers(world(), unused -> {});

  /** The pods of others while all nodes are kept for the time of one group. */
  private static int most(Duration hold) {
    return ALONE / (int) LONG.dividedBy(STEP) * (int) hold.dividedBy(STEP);
  }

  /** Now and then: it takes long. */
  private static void placeHuge(GroupWorld world) {
    if (world.now().toMinutes() % 10 == 0) {
      world.place(HUGE);
    }
  }

  @Test
  void aGroupThatNeverFitsCostsOthersNothing() {
    assertThat(podsOfOthers(world(), HostageTest::placeHuge)).isEqualTo(ALONE);
  }

  @Test
  void aGroupThatNeverGetsTheWholeClusterCostsOthersHalfTheTimeAtMost() {
    int pods = podsOfOthers(world(), world -> world.place(ALL));

    assertThat(ALONE - pods).isBetween(most(GroupWorld.HOLD), ALONE / 2);
  }

  @Test
  void aGroupThatComesAndGoesCostsOthersNoMore() {
    int pods =
        podsOfOthers(
            world(),
            world -> {
              world.place(ALL);
              if (world.now().toMinutes() % 7 == 0) {
                world.leave(ALL);
              }
            });

    assertThat(ALONE - pods).isBetween(1, ALONE / 2);
  }

  @Test
  void aTenantThatMakesItsGroupAnewCostsOthersHalfTheTimeAtMost() {
    int pods =
        podsOfOthers(
            world(),
            world -> {
              long minutes = world.now().toMinutes() / 20 * 20;
              world.place(ALL.since(Duration.ofMinutes(minutes)));
            });

    assertThat(ALONE - pods).isBetween(1, ALONE / 2);
  }

  @Test
  void manyGroupsOfATenantCostOthersHalfTheTimeAtMost() {
    int pods =
        podsOfOthers(
            world(),
            world -> {
              for (int i = 0; i < 8; i++) {
                world.place(new WaitingGroup("team-a", "all" + i, 4, 2, 0, Duration.ZERO));
              }
            });

    assertThat(ALONE - pods).isBetween(1, ALONE / 2 + most(STEP));
  }
}
