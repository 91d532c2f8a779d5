package io.gpudra.controller.dra.telling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.testing.FakeReason;
import io.gpudra.crds.model.Reason;
import org.junit.jupiter.api.Test;

final class ExplanationTest {
  private static final Reason STALE =
      new FakeReason("stale", "inventory stale", "is silent", false, 8);
  private static final Reason NEAR =
      new FakeReason("inUse", "all in use", "lacks 1 of 4", false, 1);
  private static final Reason FAR = new FakeReason("inUse", "all in use", "lacks 4 of 4", false, 4);

  @Test
  void reasonsAreCountedByPhraseAndTheNearestMissIsNamed() {
    assertThat(
            Explanation.text(
                ImmutableMap.of("n1", FAR, "n2", STALE, "n4", NEAR, "n3", NEAR, "n5", STALE), 0))
        .isEqualTo("0 of 5 nodes fit: 3 all in use, 2 inventory stale; nearest: n3 lacks 1 of 4");
  }

  @Test
  void nodesThatFitThisClaimButNotTheOthersAreCounted() {
    assertThat(Explanation.text(ImmutableMap.of("n1", NEAR), 2))
        .isEqualTo(
            "2 of 3 nodes fit: 1 all in use; nearest: n1 lacks 1 of 4;"
                + " none fits all claims of the pod");
  }

  @Test
  void onlyLastingReasonsEverywhereAreHopeless() {
    assertThat(Explanation.hopeless(ImmutableMap.of("n1", FakeReason.NONE))).isTrue();
    assertThat(Explanation.hopeless(ImmutableMap.of("n1", FakeReason.NONE, "n2", NEAR))).isFalse();
    assertThat(Explanation.hopeless(ImmutableMap.of())).isFalse();
  }

  @Test
  void withoutAnyNodeItSaysSo() {
    assertThat(Explanation.text(ImmutableMap.of(), 0))
        .isEqualTo("no node offers devices of this driver");
  }
}
