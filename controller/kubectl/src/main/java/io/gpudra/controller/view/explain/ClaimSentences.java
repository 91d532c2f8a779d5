package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.text.ListText;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text about one claim.
 *
 * @param fits whether a node fits the claim and all other claims of its pod
 */
record ClaimSentences(ClaimDetails claim, boolean fits, Instant now) {
  private static final String INDENT = "  ";

  Stream<String> lines() {
    return claim.grant().map(this::granted).orElseGet(this::without);
  }

  private Stream<String> granted(AllocationDetails grant) {
    GrantSentences words = new GrantSentences(grant, now);
    String what = name() + " " + granted(words, grant.node());
    return Stream.concat(Stream.of(what), words.lines().map(INDENT::concat));
  }

  private String granted(GrantSentences words, String node) {
    return switch (claim.state()) {
      case DRAINING -> "is deleted, but " + node + " has not released its devices";
      case ENDING -> "is being deallocated, " + words.where();
      case GRANTED, WAITING, OTHERS -> "is allocated " + words.where();
    };
  }

  private Stream<String> without() {
    return switch (claim.state()) {
      case ENDING -> Stream.of(name() + " is being deleted or deallocated");
      case OTHERS -> Stream.of(name() + " is handled by another driver or by the scheduler");
      case WAITING, GRANTED, DRAINING -> waiting();
    };
  }

  private Stream<String> waiting() {
    if (!claim.problems().isEmpty()) {
      return claim.problems().stream().map(problem -> name() + ": " + problem);
    }
    return claim.refusals().isEmpty() && claim.fitting() == 0
        ? Stream.of(name() + " has no devices")
        : Stream.concat(Stream.of(name() + ": " + refused()), byCause());
  }

  private String refused() {
    if (fits || claim.refusals().isEmpty()) {
      int asked = claim.fitting() + claim.refusals().size();
      return "fits on %d of %d nodes".formatted(claim.fitting(), asked);
    }
    return UnschedulableSummary.of(claim.refusals(), claim.fitting())
        .text(NamespaceAudience.READER_OF_ALL, claim::never);
  }

  private Stream<String> byCause() {
    Map<String, Set<String>> nodes =
        claim.refusals().entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    entry -> entry.getValue().kind().phrase(),
                    TreeMap::new,
                    Collectors.mapping(
                        Map.Entry<String, UnsuitableReason>::getKey,
                        Collectors.toCollection(TreeSet::new))));
    return nodes.entrySet().stream()
        .sorted(Comparator.comparingInt(cause -> -cause.getValue().size()))
        .map(entry -> INDENT + entry.getKey() + ": " + ListText.of(entry.getValue()));
  }

  private String name() {
    return "claim " + claim.ref();
  }

  /** A sentence for each node that does not fit the claim. */
  static ImmutableList<String> nodes(ClaimDetails claim) {
    return new TreeMap<>(claim.refusals())
        .entrySet().stream()
            .map(
                entry ->
                    "%s, claim %s: %s"
                        .formatted(
                            entry.getKey(),
                            claim.ref(),
                            entry.getValue().text(NamespaceAudience.READER_OF_ALL)))
            .collect(ImmutableList.toImmutableList());
  }
}
