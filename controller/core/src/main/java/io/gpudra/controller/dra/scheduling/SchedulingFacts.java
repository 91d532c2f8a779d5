package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;

/** The facts that decide on a pass for one pod. */
record SchedulingFacts<P>(
    PodRef pod,
    WaitRank rank,
    ImmutableList<Entry<P>> entries,
    ImmutableList<Container> containers) {

  PodUse use() {
    return new PodUse(
        entries.stream().map(Entry::use).collect(ImmutableList.toImmutableList()),
        containers,
        rank);
  }

  ImmutableSet<ClaimFacts> claims() {
    return entries.stream()
        .flatMap(entry -> entry.claim().stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  /**
   * One claim of the pod.
   *
   * @param claim absent also when the entry is not resolved
   * @param parameters present when this driver could allocate the claim, and the pod does not have
   *     too many
   */
  record Entry<P>(
      PodClaim podClaim,
      Optional<ClaimFacts> claim,
      Optional<ClassFacts> resourceClass,
      ClassState classState,
      Optional<DriverParameters<P>> parameters) {

    /** The claim, if this driver could allocate it. */
    Optional<ClaimFacts> open() {
      return claim
          .filter(SchedulingRules::waitsForPod)
          .filter(facts -> classState == ClassState.OURS && !facts.ending());
    }

    Entry<P> with(DriverParameters<P> found) {
      return new Entry<>(podClaim, claim, resourceClass, classState, Optional.of(found));
    }

    private PodUse.Entry use() {
      return new PodUse.Entry(podClaim.name(), claim, resourceClass.map(ClassFacts::driverName));
    }
  }
}
