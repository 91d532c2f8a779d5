package io.gpudra.controller.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much a pass gives back. */
class ReturnBudgetTest {
  private final ReturnBudget budget = new ReturnBudget();

  private int podsWith(int claims) {
    int pods = 0;
    while (budget.take(claims)) {
      pods++;
    }
    return pods;
  }

  @Test
  void podsWithFewClaimsAreLimitedByTheirNumber() {
    assertThat(podsWith(1)).isEqualTo(32);
  }

  @Test
  void podsWithManyClaimsAreLimitedByTheirClaims() {
    assertThat(podsWith(64)).isEqualTo(4);
  }

  @Test
  void aPodWithMoreClaimsThanAPassAllowsIsTakenAlone() {
    assertThat(podsWith(1_000)).isEqualTo(1);
  }
}
