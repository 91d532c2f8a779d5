package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.facts.ContextFacts;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The changes for the scheduler, classified by their effect on its next attempt for the pod. */
enum UnsuitableNodesDiff {
  /** No change. */
  NONE,

  /** Nodes that were unsuitable are suitable now. */
  GOOD,

  /** Unsuitable nodes, while it must select another node anyway and most candidates still suit. */
  BAD_FOR_LATER,

  /** Unsuitable nodes, while it must select another node anyway and most candidates do not suit. */
  BAD_FOR_NEXT,

  /** Unsuitable nodes without which the scheduler does not select another node. */
  BAD_NOW;

  /** Classifies a patch, which is absent when nothing changed. */
  static UnsuitableNodesDiff of(ContextFacts context, Optional<StatusPatch> patch) {
    return patch.map(news -> of(context, news)).orElse(NONE);
  }

  private static UnsuitableNodesDiff of(ContextFacts context, StatusPatch patch) {
    if (onlyRaises(context, patch)) {
      return GOOD;
    }
    if (!selectsAnew(context, patch)) {
      return BAD_NOW;
    }
    return mostlyWrong(context, patch) ? BAD_FOR_NEXT : BAD_FOR_LATER;
  }

  /** Nodes that an entry lists now and that the patch does not list. */
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

  /** Whether all entries exist and the patch adds no node to them. */
  private static boolean onlyRaises(ContextFacts context, StatusPatch patch) {
    return patch.unsuitableNodes().entrySet().stream()
        .allMatch(
            entry -> {
              ImmutableSet<String> there = context.unsuitableNodes().get(entry.getKey());
              return there != null && there.containsAll(entry.getValue());
            });
  }

  /** Whether all entries exist, and one refuses the selected node now and in the patch. */
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

  /** Whether at least half of the scheduler's candidates are unsuitable by now. */
  private static boolean mostlyWrong(ContextFacts context, StatusPatch patch) {
    Set<String> believed = new HashSet<>(context.offeredNodes());
    context.unsuitableNodes().values().forEach(believed::removeAll);
    Set<String> refused = new HashSet<>();
    patch.unsuitableNodes().values().forEach(refused::addAll);
    return 2 * Sets.intersection(believed, refused).size() >= believed.size();
  }
}
