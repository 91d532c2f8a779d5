package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupFixture.claim;
import static io.gpudra.controller.group.GroupFixture.group;
import static io.gpudra.controller.group.GroupFixture.member;
import static io.gpudra.controller.group.GroupFixture.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.gpudra.controller.allocation.request.ClaimRequest;
import java.time.Duration;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** For how many kinds, and how long, the room of nodes is remembered. */
class NodeCapacitiesTest extends Ticker {
  private static final int KINDS = 16;

  private final NodeCapacities capacities = new NodeCapacities(this);
  private long nanos;

  private void search(GroupRequest request) {
    GroupSearch.of(nodes(1, 2), unused -> true, request, capacities, () -> false);
  }

  private void searchForMany() {
    IntStream.rangeClosed(1, 2 * KINDS)
        .forEach(gpus -> search(group(member("p", claim("c", gpus)))));
  }

  @Test
  void fewKindsAreRemembered() {
    searchForMany();
    assertThat(capacities.size()).isEqualTo(KINDS);
  }

  /** The largest group, whose members share a claim. */
  private void searchForMembers(IntUnaryOperator cores) {
    ClaimRequest shared = claim("shared", 1);
    search(
        group(
            IntStream.range(0, GroupRequest.MAX_MEMBERS)
                .mapToObj(i -> member("p" + i, cores.applyAsInt(i), shared))
                .toArray(GroupMember[]::new)));
  }

  @Test
  void aLargeKindTakesThePlaceOfSmallOnes() {
    searchForMany();
    searchForMembers(i -> i);
    assertThat(capacities.size()).isBetween(2L, KINDS - 1L);
  }

  @Test
  void membersWithEqualDemandsWeighAsOne() {
    searchForMany();
    searchForMembers(unused -> 1);
    assertThat(capacities.size()).isEqualTo(KINDS);
  }

  @Test
  void aKindIsForgottenFiveMinutesAfterTheLastSearch() {
    searchForMany();
    nanos += Duration.ofMinutes(4).toNanos();
    search(group(member("p", claim("c", 2 * KINDS))));
    nanos += Duration.ofMinutes(2).toNanos();

    assertThat(capacities.size()).isEqualTo(1);
  }

  @Override
  public long read() {
    return nanos;
  }
}
