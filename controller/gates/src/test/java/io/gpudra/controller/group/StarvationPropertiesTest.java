package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A group under an endless stream of single pods that take every device that becomes free. */
class StarvationPropertiesTest {
  private static final Duration STEP = Duration.ofSeconds(15);

  /** The last claims end at one step; the group is told at the next. */
  private static final Duration SLACK = ControllerDelays.GROUP_PLAN_GAP.plus(STEP.multipliedBy(2));

  /**
   * Pods of a stream.
   *
   * @param steps that each runs
   * @param names claims that are used again and again; 0: each has a claim of its own
   */
  record Single(int gpus, int steps, int priority, int names) {}

  record Case(List<Integer> nodes, int members, int gpus, List<Single> stream) {
    ImmutableList<NodeLedger> empty() {
      return IntStream.range(0, nodes.size())
          .mapToObj(i -> GroupFixture.node("n" + i, nodes.get(i)))
          .collect(toImmutableList());
    }

    Duration longestLife() {
      return STEP.multipliedBy(stream.stream().mapToInt(Single::steps).max().orElse(0));
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    Arbitrary<Single> single =
        Combinators.combine(
                Arbitraries.integers().between(1, 3),
                Arbitraries.integers().between(1, 30),
                Arbitraries.of(0, 0, -1),
                Arbitraries.of(0, 0, 2, 5))
            .as(Single::new);
    return Combinators.combine(
            Arbitraries.integers().between(1, 4).list().ofMinSize(1).ofMaxSize(4),
            Arbitraries.integers().between(2, 4),
            Arbitraries.integers().between(1, 3),
            single.list().ofMinSize(1).ofMaxSize(4))
        .as(Case::new);
  }

  /** The single pods that run, by the step at which they end. */
  private static final class Stream {
    private final GroupWorld world;
    private final List<Single> kinds;
    private final Map<String, Integer> ends = new HashMap<>();
    private int step;
    private int pods;

    Stream(GroupWorld world, List<Single> kinds) {
      this.world = world;
      this.kinds = kinds;
    }

    /** Some end, then as many begin as fit, each kind in its turn. */
    void go() {
      step++;
      ImmutableMap.copyOf(Maps.filterValues(ends, end -> end <= step))
          .keySet()
          .forEach(
              claim -> {
                world.release(claim);
                ends.remove(claim);
              });
      boolean more = true;
      while (more) {
        more = false;
        for (int i = 0; i < kinds.size(); i++) {
          more |= begin(i, kinds.get(i));
        }
      }
    }

    private boolean begin(int kind, Single single) {
      pods++;
      String claim = "k%s-%s".formatted(kind, single.names() == 0 ? pods : pods % single.names());
      boolean begins =
          !ends.containsKey(claim)
              && world.single(claim, single.gpus(), single.priority(), world.now());
      if (begins) {
        ends.put(claim, step + single.steps());
      }
      return begins;
    }
  }

  @Property(tries = 200)
  void aGroupThatFitsTheEmptyClusterRunsAtLast(@ForAll("cases") Case given) {
    WaitingGroup group = WaitingGroup.of("g", given.members(), given.gpus());
    Assume.that(
        GroupFixture.search(given.empty(), GroupFixture.alike(given.members(), given.gpus()))
            instanceof GroupAnswer.Fits);
    GroupWorld world = new GroupWorld();
    given.empty().forEach(node -> world.ledgers.observe(node.inventory()));
    Stream stream = new Stream(world, given.stream());
    Duration latest = GroupWorld.PATIENCE.plus(given.longestLife()).plus(SLACK);

    GroupPlacing placing = new GroupPlacing.TooFew(0);
    while (!(placing instanceof GroupPlacing.Placed) && world.now().compareTo(latest) <= 0) {
      stream.go();
      placing = world.place(group);
      world.pass(STEP);
    }
    assertThat(placing).isInstanceOf(GroupPlacing.Placed.class);
  }
}
