package io.gpudra.controller.dra.facts;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The facts of a PodSchedulingContext that the protocol needs.
 *
 * @param pod the pod of the context: the context's name and the UID of its controller owner
 *     reference
 * @param uid the context's own UID
 * @param unsuitableNodes {@code status.resourceClaims} by pod claim name, of all drivers
 */
public record ContextFacts(
    PodRef pod,
    String uid,
    String resourceVersion,
    Instant created,
    boolean deleting,
    Optional<String> selectedNode,
    ImmutableSet<String> potentialNodes,
    ImmutableMap<String, ImmutableSet<String>> unsuitableNodes) {

  /** The key of the context, which has the pod's name. */
  public ObjectKey key() {
    return new ObjectKey(pod.namespace(), pod.name());
  }

  /** The nodes that the scheduler considers. */
  public ImmutableSet<String> offeredNodes() {
    return Stream.concat(potentialNodes.stream(), selectedNode.stream())
        .collect(ImmutableSet.toImmutableSet());
  }
}
