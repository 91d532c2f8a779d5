package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds releases of kube-scheduler that do not bind pods with claims. */
record SchedulerVersions(InstallationReader reader) {
  private static final Pattern RELEASE = Pattern.compile("v?(\\d{1,4}\\.\\d{1,4}\\.\\d{1,4})\\b.*");

  /** The fixed release, by minor version. */
  private static final ImmutableMap<String, String> MENDED_IN =
      ImmutableMap.of("1.28.11", "1.28.12", "1.29.6", "1.29.7", "1.30.2", "1.30.3");

  /**
   * Releases of the scheduler's pods, or else of the API server.
   *
   * @param releases such as {@code 1.30.2}
   * @param themselves whether they come from the scheduler's own pods
   */
  record Seen(ImmutableSet<String> releases, boolean themselves) {}

  Seen seen() throws IOException {
    JsonNode pods = reader.get(FeatureGates.SCHEDULER, FeatureGates.podsOf(FeatureGates.SCHEDULER));
    ImmutableSet<String> own =
        Streams.stream(pods.path("items"))
            .map(pod -> DriverPods.tag(pod.at("/spec/containers/0/image").asText()))
            .flatMap(tag -> release(tag).stream())
            .collect(ImmutableSet.toImmutableSet());
    if (!own.isEmpty()) {
      return new Seen(own, true);
    }
    String server = reader.get(FeatureGates.SERVER, "/version").path("gitVersion").asText();
    return new Seen(release(server).stream().collect(ImmutableSet.toImmutableSet()), false);
  }

  /** The release without the vendor's suffix. */
  private static Optional<String> release(String version) {
    Matcher matcher = RELEASE.matcher(version);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** The release to upgrade to; empty if this release works. */
  static Optional<String> mendedIn(String release) {
    return Optional.ofNullable(MENDED_IN.get(release));
  }
}
