package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeToleration;
import java.util.Collection;
import java.util.function.ToLongFunction;

/** Estimates the bytes of kept requests, rather too high than too low. */
public final class RequestSize {
  private static final long ENTRY = MemoryBudget.ENTRY;

  /** A sub-request with its kind, and a condition whose text is kept beside its parts. */
  private static final long SUB_REQUEST = 4 * ENTRY;

  private static final long PARTS = 2;

  private RequestSize() {}

  /** The size of all claims of a pod. */
  public static long of(PodRequest pod) {
    return sum(pod.claims(), RequestSize::of);
  }

  /** The size of one claim. */
  public static long of(ClaimRequest claim) {
    return of(claim.alternatives(), claim.tolerations())
        + claim.demand().map(RequestSize::of).orElse(0L);
  }

  /** The size of what a claim asks for. */
  public static long of(
      ImmutableList<RequestAlternative> alternatives, ImmutableList<DeviceToleration> tolerations) {
    return ENTRY + sum(alternatives, RequestSize::of) + sum(tolerations, RequestSize::of);
  }

  /** The size of a pod's demand on its node. */
  public static long of(NodeDemand demand) {
    return ENTRY
        + demand.required().map(selector -> sum(selector.terms(), RequestSize::of)).orElse(0L)
        + sum(demand.tolerations(), RequestSize::of)
        + sum(demand.size().keySet(), RequestSize::of);
  }

  private static long of(NodeSelector.Term term) {
    return ENTRY + sum(term.labels(), RequestSize::of) + sum(term.fields(), RequestSize::of);
  }

  private static long of(NodeSelector.Requirement requirement) {
    return of(requirement.key()) + sum(requirement.values(), RequestSize::of);
  }

  private static long of(NodeToleration toleration) {
    return of(toleration.key()) + of(toleration.value().orElse(""));
  }

  private static long of(RequestAlternative way) {
    return ENTRY + sum(way.subRequests(), RequestSize::of);
  }

  private static long of(DeviceSubRequest subRequest) {
    return SUB_REQUEST
        + PARTS * MemoryBudget.text(subRequest.devicePredicate().text())
        + ENTRY * subRequest.pinned().byPosition().size()
        + sum(subRequest.pinned().byUuid().keySet(), RequestSize::of);
  }

  private static long of(DeviceToleration toleration) {
    return of(toleration.key()) + of(toleration.value().orElse(""));
  }

  private static long of(String text) {
    return ENTRY + MemoryBudget.text(text);
  }

  private static <T> long sum(Collection<T> all, ToLongFunction<T> bytes) {
    return all.stream().mapToLong(bytes).sum();
  }
}
