package io.gpudra.controller.page;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Findings that are still there after a while: kinds are watched one by one, so what has just
 * changed may look like a contradiction.
 */
final class Lasting {
  private final Duration settle;
  private Map<Finding.Identity, Instant> since = new HashMap<>();

  Lasting(Duration settle) {
    this.settle = settle;
  }

  /** Those of now that have been there for long enough. */
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
