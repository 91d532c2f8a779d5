package io.gpudra.controller.dra.telling;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.reverseOrder;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Reason;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why no node fits a claim, in one sentence: reasons by count, and the nearest miss. */
final class Explanation {
  private Explanation() {}

  /**
   * {@code 0 of 12 nodes fit: 9 all matching devices in use, 3 inventory stale; nearest: worker-2
   * lacks 1 of 4}.
   *
   * @param fitting nodes that fit, but not the pod's other claims
   */
  static String text(ImmutableMap<String, Reason> refusals, int fitting) {
    if (refusals.isEmpty()) {
      return "no node offers devices of this driver";
    }
    int all = refusals.size() + fitting;
    return fitting
        + " of "
        + all
        + (all == 1 ? " node fits: " : " nodes fit: ")
        + counts(refusals)
        + nearest(refusals).map(text -> "; nearest: " + text).orElse("")
        + (fitting == 0 ? "" : "; none fits all claims of the pod");
  }

  /** Whether nothing that is given back could ever help. */
  static boolean hopeless(ImmutableMap<String, Reason> refusals) {
    return !refusals.isEmpty() && refusals.values().stream().allMatch(Reason::lasting);
  }

  static Optional<String> nearest(ImmutableMap<String, Reason> refusals) {
    return refusals.entrySet().stream()
        .min(
            comparingInt((Map.Entry<String, Reason> entry) -> entry.getValue().shortfall())
                .thenComparing(Map.Entry::getKey))
        .map(entry -> entry.getKey() + " " + entry.getValue().text());
  }

  static ImmutableSet<String> labels(ImmutableMap<String, Reason> refusals) {
    return refusals.values().stream().map(Reason::label).collect(ImmutableSet.toImmutableSet());
  }

  private static String counts(ImmutableMap<String, Reason> refusals) {
    Map<String, Long> byPhrase =
        refusals.values().stream()
            .collect(Collectors.groupingBy(Reason::phrase, TreeMap::new, Collectors.counting()));
    return byPhrase.entrySet().stream()
        .sorted(
            comparing((Map.Entry<String, Long> entry) -> entry.getValue(), reverseOrder())
                .thenComparing(Map.Entry::getKey))
        .map(entry -> entry.getValue() + " " + entry.getKey())
        .collect(Collectors.joining(", "));
  }
}
