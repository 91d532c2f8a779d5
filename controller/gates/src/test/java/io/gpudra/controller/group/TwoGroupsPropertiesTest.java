package io.gpudra.controller.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Two groups of which each fits alone. */
class TwoGroupsPropertiesTest {

  /**
   * Two groups of one GPU for each member.
   *
   * @param turns which of them is searched next
   * @param minutes between two searches
   */
  record Case(List<Integer> nodes, int first, int second, List<Boolean> turns, int minutes) {
    int gpus() {
      return nodes.stream().mapToInt(Integer::intValue).sum();
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    return Arbitraries.integers()
        .between(1, 4)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .flatMap(
            nodes -> {
              int gpus = nodes.stream().mapToInt(Integer::intValue).sum();
              Arbitrary<Integer> more = Arbitraries.integers().between(gpus / 2 + 1, gpus);
              return Combinators.combine(
                      Arbitraries.just(nodes),
                      more,
                      more,
                      Arbitraries.of(true, false).list().ofMinSize(2).ofMaxSize(12),
                      Arbitraries.integers().between(0, 4))
                  .as(Case::new);
            });
  }

  private static int held(GroupWorld world) {
    return world.ledgers.snapshot().stream()
        .map(NodeLedger::holds)
        .mapToInt(holds -> holds.size())
        .sum();
  }

  @Property(tries = 200)
  void oneRunsThenTheOtherAndNothingIsHeldForTheOneThatWaits(@ForAll("cases") Case given) {
    GroupWorld world = new GroupWorld();
    for (int i = 0; i < given.nodes().size(); i++) {
      world.node("n" + i, given.nodes().get(i));
    }
    ImmutableList<WaitingGroup> groups =
        ImmutableList.of(
            WaitingGroup.of("g", given.first(), 1),
            WaitingGroup.of("h", given.second(), 1).in("team-b"));
    WaitingGroup running = groups.get(given.turns().get(0) ? 0 : 1);
    WaitingGroup other = groups.get(given.turns().get(0) ? 1 : 0);
    assertThat(world.place(running)).isInstanceOf(GroupPlacing.Placed.class);

    for (boolean same : given.turns()) {
      world.pass(Duration.ofMinutes(given.minutes()));
      if (!same) {
        assertThat(world.place(other))
            .isEqualTo(new GroupPlacing.TooFew(given.gpus() - running.members()));
      }
      assertThat(held(world)).isEqualTo(running.members());
    }
    world.end(running);
    assertThat(world.place(other)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(held(world)).isEqualTo(other.members());
  }
}
