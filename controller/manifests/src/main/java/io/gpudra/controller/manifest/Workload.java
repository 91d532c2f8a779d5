package io.gpudra.controller.manifest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;

/**
 * A pod, or a controller of equal pods.
 *
 * @param kind such as {@code Deployment}
 * @param replicas number of simultaneous pods
 * @param pattern the pod without a name
 * @param templates of the generated claims, by entry
 * @param demand of a pod on its node
 */
public record Workload(
    String kind,
    String namespace,
    String name,
    int replicas,
    PodFacts pattern,
    ImmutableMap<String, String> templates,
    PodSchedulingConstraints podSchedulingConstraints,
    NodeDemand demand) {
  private static final String CLAIM = "ResourceClaim";
  private static final ImmutableSet<String> ALONE = ImmutableSet.of("Pod", CLAIM);

  /** A hypothetical pod for a claim. */
  public static Workload of(ClaimRef claim) {
    PodClaim entry =
        new PodClaim("claim", new Resolution.ResolvedTo(claim, /* mustBeOwnedByPod= */ false));
    return new Workload(
        CLAIM,
        claim.namespace(),
        claim.name(),
        1,
        new PodFacts(new PodRef(claim.namespace(), "", ""), false, false, ImmutableList.of(entry)),
        ImmutableMap.of(),
        PodSchedulingConstraints.ANYWHERE,
        NodeDemand.NONE);
  }

  /** The pod with this index. */
  public PodFacts pod(int number) {
    String podName = ALONE.contains(kind) ? name : name + "-" + number;
    PodRef ref = new PodRef(namespace, podName, ManifestSet.uid("Pod", namespace, podName));
    ImmutableList<PodClaim> claims =
        pattern.claims().stream()
            .map(entry -> templates.containsKey(entry.name()) ? generated(ref, entry) : entry)
            .collect(ImmutableList.toImmutableList());
    return new PodFacts(
        ref,
        pattern.rank(),
        pattern.group(),
        /* deleting= */ false,
        /* terminal= */ false,
        claims,
        pattern.containers());
  }

  private static PodClaim generated(PodRef pod, PodClaim entry) {
    ClaimRef claim = new ClaimRef(pod.namespace(), pod.name() + "-" + entry.name());
    return new PodClaim(
        entry.name(), new Resolution.ResolvedTo(claim, /* mustBeOwnedByPod= */ true));
  }
}
