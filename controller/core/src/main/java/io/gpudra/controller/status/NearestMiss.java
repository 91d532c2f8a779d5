package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.Relaxed;
import io.gpudra.crds.model.MemorySize;
import java.util.Comparator;
import java.util.Optional;

/** The part of a condition that the most devices lack, when no device satisfies all of it. */
record NearestMiss(ParametersReader reader, Fleet fleet, Match match, Budget budget) {

  private static final int MAX_CHARACTERS = 200;

  private record Without(Relaxed relaxed, int devices) {}

  /**
   * At most one line, about the first wish: the part without which devices match. None when the
   * budget is spent.
   */
  ImmutableList<String> lines() {
    Wish first = match.wanted().get(0).wishes().get(0);
    Optional<String> nearest =
        reader.relaxed(first).stream()
            .map(one -> new Without(one, devices(first, one)))
            .filter(without -> without.devices() > 0)
            .max(Comparator.comparingInt(Without::devices))
            .map(without -> text(first, without));
    return budget.isOver() ? ImmutableList.of() : nearest.stream().collect(toImmutableList());
  }

  private int devices(Wish wish, Relaxed relaxed) {
    Wish other =
        new Wish(
            wish.name(),
            wish.count(),
            wish.all(),
            wish.shape(),
            relaxed.rest(),
            wish.sharing(),
            wish.pinned());
    ClaimRequest claim =
        Match.anyClaim(ImmutableList.of(new Alternative(ImmutableList.of(other), Together.ANYHOW)));
    return Match.asked(fleet, match.apart())
        .takeWhile(kind -> !budget.isOver())
        .mapToInt(kind -> kind.nodes() * Match.supply(kind, claim, budget))
        .sum();
  }

  private String text(Wish wish, Without without) {
    String what = wish.shape() instanceof Shape.Mig ? "MIG device" : "GPU";
    String largest =
        without.relaxed().ofMemory()
            ? "; largest is " + MemorySize.text(fleet.offered().largestNominalBytes())
            : "";
    return "%d %s without %s%s"
        .formatted(
            without.devices(),
            without.devices() == 1 ? what + " matches" : what + "s match",
            Ascii.truncate(without.relaxed().part(), MAX_CHARACTERS, "…"),
            largest);
  }
}
