package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.crds.model.Audience;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A claim that wants more than a number of whole GPUs does not find it on a node, now or ever. */
record Lack(Cause cause, NodeLedger ledger, ClaimRequest claim) implements Refusal {
  /** As for whole GPUs: behind what waiting can cure. */
  private static final int LASTING = 100;

  private static final int MOST_CHARACTERS = 1_024;

  @Override
  public int shortfall() {
    if (!cause.lasting()) {
      return 1;
    }
    return wantsMig() && !canBeCut() ? LASTING + 1 : LASTING;
  }

  private boolean wantsMig() {
    return claim.alternatives().stream()
        .flatMap(alternative -> alternative.wishes().stream())
        .anyMatch(wish -> wish.shape() instanceof Shape.Mig);
  }

  private boolean canBeCut() {
    return ledger.inventory().gpus().stream().anyMatch(gpu -> !gpu.model().migProfiles().isEmpty());
  }

  @Override
  public String text(Audience reader) {
    Question question = Question.of(ledger, ImmutableList.of(claim));
    int alternatives = claim.alternatives().size();
    String all =
        IntStream.range(0, alternatives)
            .mapToObj(
                i -> text(question, alternatives == 1 ? "" : "alternative " + (i + 1) + ": ", i))
            .collect(Collectors.joining("; "));
    return all.length() <= MOST_CHARACTERS ? all : all.substring(0, MOST_CHARACTERS - 1) + "…";
  }

  private String text(Question question, String prefix, int number) {
    Alternative alternative = claim.alternatives().get(number);
    return prefix + new Miss(question, claim, alternative).text();
  }
}
