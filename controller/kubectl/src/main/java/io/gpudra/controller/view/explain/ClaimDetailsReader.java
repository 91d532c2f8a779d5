package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.explain.ClaimDetails.State;
import io.gpudra.controller.view.explain.NodeEvaluator.Verdict;
import java.util.Optional;

/** Collects the facts about a single claim. */
final class ClaimDetailsReader {
  private final ObjectLookup lookup;
  private final AllocationDetailsReader allocationDetailsReader;

  ClaimDetailsReader(ObjectLookup lookup) {
    this.lookup = lookup;
    this.allocationDetailsReader = new AllocationDetailsReader(lookup);
  }

  /**
   * The facts about a claim that exists.
   *
   * @param problems its obstacles, if it waits
   */
  ClaimDetails of(ClaimFacts claim, Verdict verdict, ImmutableList<String> problems) {
    return settled(claim).orElseGet(() -> waiting(claim, verdict, problems));
  }

  /** The facts about a claim that does not wait for this driver. */
  Optional<ClaimDetails> settled(ClaimFacts claim) {
    if (claim.allocation().isPresent()) {
      return Optional.of(allocated(claim, claim.allocation().get()));
    }
    if (claim.ending()) {
      return Optional.of(ClaimDetails.of(claim.ref(), State.ENDING, ImmutableList.of()));
    }
    ClassState state = WaitingOrder.state(lookup, claim);
    return claim.hasBuiltinFinalizer()
            || state == ClassState.STRUCTURED
            || state == ClassState.OTHER
        ? Optional.of(ClaimDetails.of(claim.ref(), State.OTHERS, ImmutableList.of()))
        : Optional.empty();
  }

  private ClaimDetails allocated(ClaimFacts claim, Granted allocation) {
    State state = claim.ending() ? State.ENDING : State.GRANTED;
    Optional<AllocationDetails> grant = allocationDetailsReader.of(claim);
    if (grant.isPresent()) {
      return ClaimDetails.granted(claim.ref(), state, grant.get());
    }
    return allocation.driverName().equals(lookup.clusterView().cluster().driver().name())
        ? ClaimDetails.of(
            claim.ref(),
            state,
            ImmutableList.of("its handle cannot be read: see kubectl gpudra check"))
        : ClaimDetails.of(claim.ref(), State.OTHERS, ImmutableList.of());
  }

  private ClaimDetails waiting(ClaimFacts claim, Verdict verdict, ImmutableList<String> problems) {
    ImmutableMap<String, UnsuitableReason> refusals = verdict.suitability().of(claim.uid());
    int fitting = verdict.nodes().size() - refusals.size();
    boolean hopeless = UnschedulableSummary.of(refusals, fitting).hopeless();
    return new ClaimDetails(
        claim.ref(),
        State.WAITING,
        problems,
        Optional.empty(),
        refusals,
        fitting,
        hopeless ? never(claim) : ImmutableList.of());
  }

  private ImmutableList<String> never(ClaimFacts claim) {
    Optional<ClassFacts> found = lookup.ofClass(claim.className());
    return found.stream()
        .flatMap(its -> lookup.clusterView().cluster().driver().unsatisfiable(its, claim).stream())
        .collect(toImmutableList());
  }
}
