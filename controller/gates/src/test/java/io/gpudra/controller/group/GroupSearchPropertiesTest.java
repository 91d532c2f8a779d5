package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Small groups against all ways to place their members. */
class GroupSearchPropertiesTest {

  /** A member: GPUs of those in a mask, and cores. */
  record Wanted(int gpus, long mask, int cores) {}

  record Host(int gpus, int cores) {}

  record Case(List<Host> hosts, List<Wanted> members) {

    ImmutableList<NodeLedger> nodes() {
      return IntStream.range(0, hosts.size())
          .mapToObj(i -> GroupFixture.node("n" + i, hosts.get(i).gpus(), hosts.get(i).cores()))
          .collect(toImmutableList());
    }

    GroupRequest request() {
      return new GroupRequest(
          IntStream.range(0, members.size()).mapToObj(this::member).collect(toImmutableList()),
          ImmutableSet.of());
    }

    private GroupMember member(int i) {
      Wanted wanted = members.get(i);
      return GroupFixture.member(
          "p" + i,
          wanted.cores(),
          GroupFixture.claim("c" + i, wanted.gpus(), new Among(wanted.mask())));
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    Arbitrary<Host> host =
        Combinators.combine(
                Arbitraries.integers().between(1, 3), Arbitraries.integers().between(1, 4))
            .as(Host::new);
    Arbitrary<Wanted> wanted =
        Combinators.combine(
                Arbitraries.integers().between(1, 2),
                Arbitraries.of(-1L, 1L, 3L),
                Arbitraries.integers().between(1, 2))
            .as(Wanted::new);
    return Combinators.combine(
            host.list().ofMinSize(1).ofMaxSize(3), wanted.list().ofMinSize(1).ofMaxSize(5))
        .as(Case::new);
  }

  @Property(tries = 1_000)
  void findsAPlaceIfThereIsOne(@ForAll("cases") Case given) {
    assertThat(GroupFixture.search(given.nodes(), given.request()) instanceof GroupAnswer.Fits)
        .isEqualTo(bruteForce(given, new ArrayList<>()));
  }

  @Property(tries = 1_000)
  void aPlaceIsOne(@ForAll("cases") Case given) {
    if (GroupFixture.search(given.nodes(), given.request()) instanceof GroupAnswer.Fits fits) {
      ImmutableMap.Builder<Integer, Integer> host = ImmutableMap.builder();
      fits.byNode()
          .forEach(
              (node, parts) ->
                  parts.stream()
                      .flatMap(part -> part.members().stream())
                      .map(member -> Integer.parseInt(member.pod().name().substring(1)))
                      .forEach(member -> host.put(member, Integer.parseInt(node.substring(1)))));
      ImmutableMap<Integer, Integer> hosts = host.buildOrThrow();

      assertThat(hosts).hasSize(given.members().size());
      assertThat(isPlace(given, IntStream.range(0, hosts.size()).map(hosts::get).boxed().toList()))
          .isTrue();
    }
  }

  /** Tries each node for each member. */
  private static boolean bruteForce(Case given, List<Integer> placed) {
    if (placed.size() == given.members().size()) {
      return isPlace(given, placed);
    }
    for (int node = 0; node < given.hosts().size(); node++) {
      placed.add(node);
      if (bruteForce(given, placed)) {
        return true;
      }
      placed.remove(placed.size() - 1);
    }
    return false;
  }

  private static boolean isPlace(Case given, List<Integer> hosts) {
    return IntStream.range(0, given.hosts().size())
        .allMatch(node -> isPlace(given, node, members(hosts, node)));
  }

  private static ImmutableSet<Integer> members(List<Integer> hosts, int node) {
    return IntStream.range(0, hosts.size())
        .filter(member -> hosts.get(member) == node)
        .boxed()
        .collect(toImmutableSet());
  }

  private static boolean isPlace(Case given, int node, ImmutableSet<Integer> members) {
    if (members.isEmpty()) {
      return true;
    }
    int cores = members.stream().mapToInt(member -> given.members().get(member).cores()).sum();
    PodRequest together =
        new PodRequest(
            members.stream()
                .flatMap(
                    member -> given.request().members().get(member).request().claims().stream())
                .collect(toImmutableList()));
    return cores <= given.hosts().get(node).cores()
        && PodPlacer.place(given.nodes().get(node), together, new SearchBudget())
            instanceof Placement.Fits;
  }
}
