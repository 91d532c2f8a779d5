package io.gpudra.controller.allocation.search;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long is searched, and whether it is known that it was not long enough. */
class SearchBudgetTest {

  @Test
  void anAnswerIsDoubtfulAsSoonAsAStateIsNotLookedAt() {
    SearchBudget budget = new SearchBudget();
    budget.nextNode();
    while (budget.spend()) {
      assertThat(budget.spent()).isFalse();
    }

    assertThat(budget.spent()).isTrue();
    budget.nextNode();
    assertThat(budget.spent()).isFalse();
    assertThat(budget.spend()).isTrue();
  }

  @Test
  void waysToCutGpusAreSpentLikeStates() {
    SearchBudget budget = new SearchBudget();
    budget.nextNode();
    assertThat(budget.spend(200_000)).isTrue();
    assertThat(budget.spent()).isFalse();
    assertThat(budget.spend(1)).isFalse();
    assertThat(budget.spent()).isTrue();
    assertThat(budget.isOver()).isFalse();

    budget.spend(1_800_000);
    assertThat(budget.isOver()).isTrue();
    budget.nextNode();
    assertThat(budget.spend(1)).isFalse();
  }
}
