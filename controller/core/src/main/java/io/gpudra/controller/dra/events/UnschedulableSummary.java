package io.gpudra.controller.dra.events;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.reverseOrder;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Explains in one sentence why no node fits a claim: the reasons by count, and the nearest miss.
 * Shared by all claims with the same refusals. Only the nearest miss may name claims, so its text
 * is built for each reader.
 *
 * @param hopeless no release could ever help
 * @param kinds of the reasons
 * @param before the text before the nearest miss
 * @param after the text after it
 */
public record UnschedulableSummary(
    boolean hopeless,
    ImmutableSet<Kind> kinds,
    String before,
    Optional<Nearest> nearest,
    String after) {

  /** The beginning when no release could ever help. */
  public static final String HOPELESS = "no device of the cluster satisfies the claim: ";

  /** The node that lacks least. */
  public record Nearest(String node, UnsuitableReason reason) {}

  /**
   * Explains the refusals of nodes.
   *
   * @param fitting nodes that fit, but not the pod's other claims
   */
  public static UnschedulableSummary of(
      ImmutableMap<String, UnsuitableReason> refusals, int fitting) {
    boolean hopeless =
        fitting == 0
            && !refusals.isEmpty()
            && refusals.values().stream().allMatch(reason -> reason.kind().lasting());
    return new UnschedulableSummary(
        hopeless,
        kinds(refusals),
        hopeless ? HOPELESS : before(refusals, fitting),
        nearest(refusals),
        fitting == 0 ? "" : "; none fits all claims of the pod");
  }

  /** The estimated bytes of the request that is kept for the text. */
  long bytes() {
    return nearest.map(miss -> miss.reason().bytes()).orElse(0L);
  }

  /**
   * {@code 0 of 12 nodes fit: 9 all matching devices in use, 3 inventory stale; nearest: worker-2
   * lacks 1 of 4}.
   */
  public String text(NamespaceAudience reader) {
    return before
        + nearest.map(miss -> miss.node() + " " + miss.reason().text(reader)).orElse("")
        + after;
  }

  /**
   * Like the other method, unless the reasons why no device could ever serve the claim are known: a
   * reason for all nodes is more useful.
   *
   * @param unsatisfiable a sentence each; computed only when no release could help
   */
  public String text(NamespaceAudience reader, Supplier<ImmutableList<String>> unsatisfiable) {
    ImmutableList<String> never = hopeless ? unsatisfiable.get() : ImmutableList.of();
    return never.isEmpty() ? text(reader) : HOPELESS + String.join("; ", never);
  }

  /** The reason of the warning. */
  public String warning() {
    return nearest
        .flatMap(miss -> miss.reason().kind().event())
        .orElse(hopeless ? "NoMatchingDevice" : "NoFreeDevice");
  }

  ImmutableSet<String> labels() {
    return kinds.stream().map(Kind::label).collect(ImmutableSet.toImmutableSet());
  }

  private static ImmutableSet<Kind> kinds(ImmutableMap<String, UnsuitableReason> refusals) {
    return refusals.values().stream()
        .map(UnsuitableReason::kind)
        .collect(Sets.toImmutableEnumSet());
  }

  private static String before(ImmutableMap<String, UnsuitableReason> refusals, int fitting) {
    if (refusals.isEmpty()) {
      return "no node offers devices of this driver";
    }
    int all = refusals.size() + fitting;
    return "%d of %d %s fit%s: %s; nearest: "
        .formatted(
            fitting, all, all == 1 ? "node" : "nodes", all == 1 ? "s" : "", counts(refusals));
  }

  private static String counts(ImmutableMap<String, UnsuitableReason> refusals) {
    Map<String, Long> byPhrase =
        refusals.values().stream()
            .collect(
                Collectors.groupingBy(
                    reason -> reason.kind().phrase(), TreeMap::new, Collectors.counting()));
    return byPhrase.entrySet().stream()
        .sorted(
            comparing((Map.Entry<String, Long> entry) -> entry.getValue(), reverseOrder())
                .thenComparing(Map.Entry::getKey))
        .map(entry -> entry.getValue() + " " + entry.getKey())
        .collect(Collectors.joining(", "));
  }

  private static Optional<Nearest> nearest(ImmutableMap<String, UnsuitableReason> refusals) {
    return refusals.entrySet().stream()
        .min(
            comparingInt(
                    (Map.Entry<String, UnsuitableReason> entry) -> entry.getValue().shortfall())
                .thenComparing(Map.Entry::getKey))
        .map(entry -> new Nearest(entry.getKey(), entry.getValue()));
  }
}
