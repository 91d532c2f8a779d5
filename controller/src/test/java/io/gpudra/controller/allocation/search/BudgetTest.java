package io.gpudra.controller.allocation.search;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long is searched, and whether it is known that it was not long enough. */
class BudgetTest {

  @Test
  void anAnswerIsDoubtfulAsSoonAsAStateIsNotLookedAt() {
    Budget budget = new Budget();
    budget.nextNode();
    while (budget.spend()) {
      assertThat(budget.spent()).isFalse();
    }

    assertThat(budget.spent()).isTrue();
    budget.nextNode();
    assertThat(budget.spent()).isFalse();
    assertThat(budget.spend()).isTrue();
  }
}
