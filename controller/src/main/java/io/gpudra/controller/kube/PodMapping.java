package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.PodFacts;
import io.gpudra.controller.dra.PodFacts.PodClaim;
import io.gpudra.controller.dra.PodFacts.Resolution;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;

/** Pod → facts, with the naming rules of the server's version (protocol.md 1.6). */
final class PodMapping {
  private static final ImmutableSet<String> TERMINAL = ImmutableSet.of("Succeeded", "Failed");

  /** First version that records the names of generated claims in the pod's status. */
  private static final int NAMES_IN_STATUS = 28;

  private final boolean namesInStatus;

  PodMapping(int serverMinor) {
    this.namesInStatus = serverMinor >= NAMES_IN_STATUS;
  }

  PodFacts facts(PodRef ref, JsonNode pod) {
    ImmutableList.Builder<PodClaim> claims = ImmutableList.builder();
    for (JsonNode entry : pod.at("/spec/resourceClaims")) {
      String name = entry.path("name").asText();
      claims.add(new PodClaim(name, resolution(ref, pod, name, entry.path("source"))));
    }
    return new PodFacts(
        ref,
        pod.at("/metadata/deletionTimestamp").isTextual(),
        TERMINAL.contains(pod.at("/status/phase").asText()),
        claims.build());
  }

  /** An entry without a known source, such as one of 1.31, is none of ours to serve. */
  private Resolution resolution(PodRef ref, JsonNode pod, String name, JsonNode source) {
    if (source.hasNonNull("resourceClaimName")) {
      String claim = source.path("resourceClaimName").asText();
      return new Resolution.To(new ClaimRef(ref.namespace(), claim), false);
    }
    if (!source.hasNonNull("resourceClaimTemplateName")) {
      return new Resolution.None();
    }
    return namesInStatus
        ? recorded(ref, pod, name)
        : new Resolution.To(new ClaimRef(ref.namespace(), ref.name() + "-" + name), true);
  }

  private static Resolution recorded(PodRef ref, JsonNode pod, String name) {
    for (JsonNode status : pod.at("/status/resourceClaimStatuses")) {
      if (status.path("name").asText().equals(name)) {
        return status.hasNonNull("resourceClaimName")
            ? new Resolution.To(
                new ClaimRef(ref.namespace(), status.path("resourceClaimName").asText()), true)
            : new Resolution.None();
      }
    }
    return new Resolution.NotYet();
  }
}
