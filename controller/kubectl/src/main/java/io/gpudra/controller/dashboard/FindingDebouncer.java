package io.gpudra.controller.dashboard;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Filters findings by how long they last. Each kind has its own watch, so a recent change may look
 * like a contradiction.
 */
final class FindingDebouncer {
  private final Duration settle;
  private Map<Finding.Identity, Instant> since = new HashMap<>();

  FindingDebouncer(Duration settle) {
    this.settle = settle;
  }

  /** Findings that have lasted long enough. */
  ImmutableList<Finding> of(ImmutableList<Finding> found, Instant now) {
    Map<Finding.Identity, Instant> before = since;
    since =
        found.stream()
            .map(Finding::identity)
            .distinct()
            .collect(Collectors.toMap(one -> one, one -> before.getOrDefault(one, now)));
    return found.stream()
        .filter(one -> !since.getOrDefault(one.identity(), now).plus(settle).isAfter(now))
        .collect(ImmutableList.toImmutableList());
  }
}
