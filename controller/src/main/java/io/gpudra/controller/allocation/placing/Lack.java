package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.crds.model.Audience;
import io.gpudra.crds.model.node.MigProfile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A claim that wants more than a number of whole GPUs does not find it on a node, now or ever.
 *
 * @param family the claim, and those of its pod out of whose devices it would be carved
 */
record Lack(Cause cause, NodeLedger ledger, ClaimRequest claim, ImmutableList<ClaimRequest> family)
    implements Refusal {
  /** As for whole GPUs: behind what waiting can cure. */
  private static final int LASTING = 100;

  private static final int MOST_CHARACTERS = 1_024;

  @Override
  public int shortfall() {
    if (!cause.lasting()) {
      return 1;
    }
    return LASTING + claim.alternatives().stream().mapToInt(this::missing).min().orElse(0);
  }

  /** How many devices are not there, whoever has the others. */
  private int missing(Alternative way) {
    return way.wishes().stream().mapToInt(this::missing).sum();
  }

  private int missing(Wish wish) {
    if (wish.shape() instanceof Shape.Mig mig) {
      return Math.max(0, wish.count() - mig.gpuInstance().map(this::room).orElseGet(this::anyRoom));
    }
    int matching = Long.bitCount(wish.condition().matching(ledger.inventory()));
    return Math.max(0, (wish.all() ? 1 : wish.count()) - matching);
  }

  /** For MIG devices of this profile if nobody had any. */
  private int room(String profile) {
    return profiles().filter(one -> one.name().equals(profile)).mapToInt(MigProfile::most).sum();
  }

  /** At most, whatever the condition chooses. */
  private int anyRoom() {
    return profiles().mapToInt(MigProfile::most).sum();
  }

  private Stream<MigProfile> profiles() {
    return ledger.inventory().gpus().stream().flatMap(gpu -> gpu.model().migProfiles().stream());
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
