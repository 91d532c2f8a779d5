package io.gpudra.controller.dra.facts;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How a pod uses claims, also those of other drivers.
 *
 * @param entries in the order of {@code spec.resourceClaims}
 * @param containers the containers that use several claims
 * @param rank of the pod
 */
public record PodUse(
    ImmutableList<Entry> entries, ImmutableList<Container> containers, WaitRank rank) {

  /** The use by no pod. */
  public static final PodUse NONE = new PodUse(ImmutableList.of(), ImmutableList.of());

  /** The use by a pod that waits after all others. */
  public PodUse(ImmutableList<Entry> entries, ImmutableList<Container> containers) {
    this(entries, containers, WaitRank.LAST);
  }

  /** The use of a claim that is allocated before a pod uses it. */
  public static PodUse without(ClaimFacts claim) {
    return new PodUse(ImmutableList.of(), ImmutableList.of(), new WaitRank(0, claim.created()));
  }

  /**
   * One entry of {@code spec.resourceClaims}.
   *
   * @param claim absent while it does not exist
   * @param driver of the claim's class; absent while it is unknown
   */
  public record Entry(String name, Optional<ClaimFacts> claim, Optional<String> driver) {}

  /** The entry of this name. */
  public Optional<Entry> entry(String name) {
    return entries.stream().filter(entry -> entry.name().equals(name)).findFirst();
  }

  /** Claims that a container uses, each once. */
  public ImmutableList<ClaimFacts> usedBy(Container container) {
    return IntStream.range(0, entries.size())
        .filter(container::uses)
        .mapToObj(entries::get)
        .flatMap(entry -> entry.claim().stream())
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }
}
