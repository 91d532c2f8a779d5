package io.gpudra.controller.manifest;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplate;
import java.time.Instant;
import java.util.Optional;

/** The request of a ResourceClaimTemplate. */
public record ClaimTemplate(
    String className, Optional<ParametersRef> parameters, ClaimFacts.Mode mode) {

  /** The request of a template with a spec; also of one without a spec, to be read all the same. */
  public static ClaimTemplate of(ClaimMapping mapping, V1alpha2ResourceClaimTemplate template) {
    ClaimFacts like =
        mapping.facts(
            new V1alpha2ResourceClaim()
                .metadata(template.getMetadata())
                .spec(template.getSpec() == null ? null : template.getSpec().getSpec()));
    return new ClaimTemplate(like.className(), like.parameters(), like.mode());
  }

  /**
   * A claim with this request, which is not allocated.
   *
   * @param ownerUid of the pod for which it is generated
   */
  public ClaimFacts claim(ClaimRef ref, ClaimUid uid, Optional<String> ownerUid) {
    return new ClaimFacts(
        ref,
        uid,
        "",
        Instant.EPOCH,
        className,
        parameters,
        mode,
        /* deleting= */ false,
        /* deallocationRequested= */ false,
        /* hasFinalizer= */ false,
        /* hasBuiltinFinalizer= */ false,
        Optional.empty(),
        /* mayStillBePrepared= */ false,
        ImmutableSet.of(),
        ownerUid);
  }
}
