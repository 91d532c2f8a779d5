package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

/** Pod → the few fields that count in its group. */
final class MemberMapping {
  private MemberMapping() {}

  static MemberFacts facts(PodMapping mapping, V1Pod pod) {
    V1ObjectMeta metadata = requireNonNullElse(pod.getMetadata(), new V1ObjectMeta());
    V1PodSpec spec = requireNonNullElse(pod.getSpec(), new V1PodSpec());
    PodRef ref =
        new PodRef(
            ObjectMetadata.namespace(metadata),
            ObjectMetadata.name(metadata),
            ObjectMetadata.uid(metadata));
    MemberFacts member =
        new MemberFacts(
            ref,
            ObjectMetadata.controllerUid(metadata),
            !requireNonNullElse(spec.getNodeName(), "").isEmpty(),
            metadata.getDeletionTimestamp() != null,
            phase(PodMapping.phase(pod)));
    return member.runs() ? member.with(claims(mapping.facts(ref, pod))) : member;
  }

  static ImmutableSet<ClaimRef> claims(PodFacts pod) {
    return pod.claimRefs().stream()
        .limit(MemberFacts.MAX_CLAIMS)
        .collect(ImmutableSet.toImmutableSet());
  }

  static Phase phase(String phase) {
    return switch (phase) {
      case "Succeeded" -> Phase.SUCCEEDED;
      case "Failed" -> Phase.FAILED;
      default -> Phase.ALIVE;
    };
  }
}
