package io.gpudra.controller.status;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.placing.Placer;
import io.gpudra.controller.allocation.placing.Supply;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.crds.model.Audience;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * How a wanted thing and a fleet go together.
 *
 * @param apart whether each node has been asked, not one of each kind
 * @param devices that would do
 * @param nodes that could hold it
 * @param undecided whether some node may be one of these all the same
 * @param nearestNode of those that could not, and why; empty when all could
 */
record Match(
    ImmutableList<Alternative> wanted,
    boolean apart,
    int devices,
    int nodes,
    boolean undecided,
    String nearestNode) {

  private static final Audience NOBODY = new Audience("");

  static Match of(Fleet fleet, ImmutableList<Alternative> wanted, boolean apart) {
    return new Count(anybody(wanted), apart).of(fleet);
  }

  /** A claim that nobody has. */
  static ClaimRequest anybody(ImmutableList<Alternative> wanted) {
    return new ClaimRequest(
            new ClaimUid(""),
            new ClaimRef("", ""),
            wanted,
            Optional.empty(),
            Policy.PACK,
            ImmutableList.of(),
            OptionalLong.empty(),
            Optional.empty(),
            /* lingering= */ false)
        .anonymous(0);
  }

  /** One of each kind, or each. */
  static Stream<Fleet.Kind> asked(Fleet fleet, boolean apart) {
    return apart ? fleet.each() : fleet.kinds().stream();
  }

  /** Of one claim, node by node. */
  private static final class Count {
    private final ClaimRequest claim;
    private final PodRequest alone;
    private final boolean apart;
    private int devices;
    private int nodes;
    private boolean undecided;
    private int shortfall = Integer.MAX_VALUE;
    private String nearest = "";

    Count(ClaimRequest claim, boolean apart) {
      this.claim = claim;
      this.alone = new PodRequest(ImmutableList.of(claim));
      this.apart = apart;
    }

    Match of(Fleet fleet) {
      asked(fleet, apart).forEach(this::add);
      return new Match(claim.alternatives(), apart, devices, nodes, undecided, nearest);
    }

    private void add(Fleet.Kind kind) {
      devices += kind.nodes() * Supply.of(kind.ledger(), claim);
      Optional<Reason> no =
          Placer.refusal(kind.ledger(), alone, new Budget())
              .flatMap(refusal -> refusal.reasons().values().stream().findFirst());
      if (no.isEmpty()) {
        nodes += kind.nodes();
      } else {
        refused(kind, no.get());
      }
    }

    private void refused(Fleet.Kind kind, Reason reason) {
      undecided |=
          reason instanceof Refusal refusal
              && (refusal.cause() == Cause.TOO_MANY_COMBINATIONS
                  || refusal.cause() == Cause.NOT_JUDGED);
      if (reason.shortfall() < shortfall) {
        shortfall = reason.shortfall();
        nearest =
            Texts.bounded(
                "nearest is %s: %s".formatted(kind.first(), reason.text(NOBODY)), MOST_TEXT);
      }
    }
  }

  private static final int MOST_TEXT = 1_024;
}
