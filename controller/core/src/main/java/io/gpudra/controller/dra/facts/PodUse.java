package io.gpudra.controller.dra.facts;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How a pod uses claims, also those of other drivers.
 *
 * @param entries in the order of {@code spec.resourceClaims}
 * @param containers the containers that use several claims
 */
public record PodUse(ImmutableList<Entry> entries, ImmutableList<Container> containers) {

  /** The use of a claim that is allocated before a pod uses it. */
  public static final PodUse NONE = new PodUse(ImmutableList.of(), ImmutableList.of());

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
