package io.gpudra.controller.dra.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.testing.FakeReason;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.NamespaceAudience;
import org.junit.jupiter.api.Test;

final class UnschedulableSummaryTest {
  private static final UnsuitableReason STALE =
      new FakeReason(Kind.INVENTORY_STALE, "is silent", 8);
  private static final UnsuitableReason NEAR =
      new FakeReason(Kind.ALL_MATCHING_IN_USE, "lacks 1 of 4", 1);
  private static final UnsuitableReason FAR =
      new FakeReason(Kind.ALL_MATCHING_IN_USE, "lacks 4 of 4", 4);

  private static String text(ImmutableMap<String, UnsuitableReason> refusals, int fitting) {
    return UnschedulableSummary.of(refusals, fitting).text(new NamespaceAudience(Some.NS));
  }

  @Test
  void reasonsAreCountedByPhraseAndTheNearestMissIsNamed() {
    assertThat(
            text(ImmutableMap.of("n1", FAR, "n2", STALE, "n4", NEAR, "n3", NEAR, "n5", STALE), 0))
        .isEqualTo(
            "0 of 5 nodes fit: 3 all matching GPUs in use, 2 inventory stale; nearest: n3 lacks 1"
                + " of 4");
  }

  @Test
  void whatMostNodesLackComesFirst() {
    assertThat(text(ImmutableMap.of("n1", NEAR, "n2", STALE, "n3", STALE), 0))
        .startsWith("0 of 3 nodes fit: 2 inventory stale, 1 all matching GPUs in use; ");
  }

  @Test
  void nodesThatFitThisClaimButNotTheOthersAreCounted() {
    assertThat(text(ImmutableMap.of("n1", NEAR), 2))
        .isEqualTo(
            "2 of 3 nodes fit: 1 all matching GPUs in use; nearest: n1 lacks 1 of 4;"
                + " none fits all claims of the pod");
  }

  @Test
  void onlyLastingReasonsEverywhereAreHopeless() {
    ImmutableMap<String, UnsuitableReason> none = ImmutableMap.of("n1", FakeReason.NONE);

    assertThat(text(none, 0))
        .isEqualTo("no device of the cluster satisfies the claim: n1 has none");
    assertThat(UnschedulableSummary.of(none, 0).hopeless()).isTrue();
    assertThat(UnschedulableSummary.of(none, 1).hopeless()).isFalse();
    assertThat(
            UnschedulableSummary.of(ImmutableMap.of("n1", FakeReason.NONE, "n2", NEAR), 0)
                .hopeless())
        .isFalse();
    assertThat(UnschedulableSummary.of(ImmutableMap.of(), 0).hopeless()).isFalse();
  }

  private static UnsuitableReason apart(int shortfall) {
    return new FakeReason(Kind.NOT_CONNECTED, "2 of 4 connected", shortfall);
  }

  @Test
  void theNearestMissNamesTheWarning() {
    assertThat(UnschedulableSummary.of(ImmutableMap.of("n1", apart(0), "n2", NEAR), 0).warning())
        .isEqualTo("TopologyUnsatisfied");
    assertThat(UnschedulableSummary.of(ImmutableMap.of("n1", apart(99), "n2", NEAR), 0).warning())
        .isEqualTo("NoFreeDevice");
    assertThat(UnschedulableSummary.of(ImmutableMap.of("n1", FakeReason.NONE), 0).warning())
        .isEqualTo("NoMatchingDevice");
  }

  @Test
  void withoutAnyNodeItSaysSo() {
    assertThat(text(ImmutableMap.of(), 0)).isEqualTo("no node offers devices of this driver");
  }
}
