package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.Contexts.StatusPatch;
import io.gpudra.controller.dra.facts.ContextFacts;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What the scheduler does not know yet, by what it matters to its next attempt for the pod. */
enum News {
  /** It knows all. */
  NONE,

  /** Nodes that were refused will do. */
  GOOD,

  /** Bad, while it must select another node anyhow and most that it believes in will do. */
  BAD_FOR_LATER,

  /** Bad, while it must select another node anyhow and most that it believes in will not do. */
  BAD_FOR_NEXT,

  /** Bad, and it does not select another node before it knows. */
  BAD_NOW;

  /** Of a patch that says something new; absent when there is none. */
  static News of(ContextFacts context, Optional<StatusPatch> patch) {
    return patch.map(news -> of(context, news)).orElse(NONE);
  }

  private static News of(ContextFacts context, StatusPatch patch) {
    if (onlyRaises(context, patch)) {
      return GOOD;
    }
    if (!selectsAnew(context, patch)) {
      return BAD_NOW;
    }
    return mostlyWrong(context, patch) ? BAD_FOR_NEXT : BAD_FOR_LATER;
  }

  /** Nodes that an entry refuses now and does not in the patch. */
  static ImmutableSet<String> raised(ContextFacts context, StatusPatch patch) {
    return patch.unsuitableNodes().entrySet().stream()
        .flatMap(
            entry ->
                Sets.difference(
                    context.unsuitableNodes().getOrDefault(entry.getKey(), ImmutableSet.of()),
                    ImmutableSet.copyOf(entry.getValue()))
                    .stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Whether a patch names no node that was not named before, in entries that are all there. */
  private static boolean onlyRaises(ContextFacts context, StatusPatch patch) {
    return patch.unsuitableNodes().entrySet().stream()
        .allMatch(
            entry -> {
              ImmutableSet<String> there = context.unsuitableNodes().get(entry.getKey());
              return there != null && there.containsAll(entry.getValue());
            });
  }

  /** It has every entry, and one of them refuses the selected node, as it does in the patch. */
  private static boolean selectsAnew(ContextFacts context, StatusPatch patch) {
    ImmutableMap<String, ImmutableSet<String>> there = context.unsuitableNodes();
    return there.keySet().containsAll(patch.unsuitableNodes().keySet())
        && patch.unsuitableNodes().entrySet().stream()
            .anyMatch(
                entry ->
                    context
                        .selectedNode()
                        .filter(entry.getValue()::contains)
                        .filter(there.getOrDefault(entry.getKey(), ImmutableSet.of())::contains)
                        .isPresent());
  }

  /** Whether at least half of the nodes that it may still believe in are refused by now. */
  private static boolean mostlyWrong(ContextFacts context, StatusPatch patch) {
    Set<String> believed = new HashSet<>(context.offeredNodes());
    context.unsuitableNodes().values().forEach(believed::removeAll);
    Set<String> refused = new HashSet<>();
    patch.unsuitableNodes().values().forEach(refused::addAll);
    return 2 * Sets.intersection(believed, refused).size() >= believed.size();
  }
}
