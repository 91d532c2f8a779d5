package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.telling.PodBlocker;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.view.explain.NodeEvaluator.Verdict;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;

/** Claims of Immediate mode, which are allocated before a pod uses them. */
record ImmediateClaims(ObjectLookup lookup, NodeEvaluator nodeEvaluator) {

  Verdict verdict(ClaimFacts claim) {
    return pending(claim)
        .filter(unused -> lookup.sight().seesInventories())
        .map(nodeEvaluator::anywhere)
        .orElse(Verdict.NOT_EVALUATED);
  }

  Optional<PendingClaim<GpuRequest>> pending(ClaimFacts claim) {
    Optional<ClassFacts> found = lookup.ofClass(claim.className());
    return found.isPresent()
            && lookup.sight().cluster().driver().parameters(found.get(), claim)
                instanceof DriverParameters.Ready<GpuRequest> ready
        ? Optional.of(new PendingClaim<>(claim, found.get(), ready.value()))
        : Optional.empty();
  }

  ImmutableList<String> problems(ClaimFacts claim) {
    return lookup
        .ofClass(claim.className())
        .map(found -> lookup.sight().cluster().driver().parameters(found, claim))
        .map(found -> PodBlocker.ofParameters("", claim, found))
        .orElseGet(() -> Optional.of(PodBlocker.classAbsent("", claim)))
        .map(podBlocker -> podBlocker.reason().sentences(NamespaceAudience.READER_OF_ALL))
        .orElse(ImmutableList.of());
  }
}
