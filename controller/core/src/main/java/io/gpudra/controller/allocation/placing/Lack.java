package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.crds.model.Audience;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A claim that wants more than a number of whole GPUs does not find it on a node, now or ever.
 *
 * @param family the claim, and those of its pod out of whose devices it would be carved
 */
record Lack(
    Cause cause,
    NodeLedger ledger,
    ClaimRequest claim,
    ImmutableList<ClaimRequest> family,
    int shortfall)
    implements Refusal {
  /** As for whole GPUs: behind what waiting can cure. */
  private static final int LASTING = 100;

  private static final int MOST_CHARACTERS = 1_024;

  Lack(
      Cause cause,
      NodeLedger ledger,
      ClaimRequest claim,
      ImmutableList<ClaimRequest> family,
      Effort effort) {
    this(
        cause,
        ledger,
        claim,
        family,
        cause.lasting() ? LASTING + Missing.of(claim, ledger.inventory(), effort) : 1);
  }

  @Override
  public Lack on(NodeLedger other) {
    return new Lack(cause, other, claim, family, shortfall);
  }

  @Override
  public String text(Audience reader) {
    Question question = Question.of(ledger, family);
    Budget budget = new Budget();
    int alternatives = claim.alternatives().size();
    String all =
        IntStream.range(0, alternatives)
            .mapToObj(
                i ->
                    (alternatives == 1 ? "" : "alternative " + (i + 1) + ": ")
                        + new Miss(question, claim, claim.alternatives().get(i), budget).text())
            .collect(Collectors.joining("; "));
    return all.length() <= MOST_CHARACTERS ? all : all.substring(0, MOST_CHARACTERS - 1) + "…";
  }
}
