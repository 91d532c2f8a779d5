package io.gpudra.bench.real;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Evaluates the audit log of a group, from the moment when each of its pods has its claims. */
final class GroupEvaluation {
  private static final String CLAIM_CONTROLLER =
      "system:serviceaccount:kube-system:resource-claim-controller";
  private static final Pattern CLAIM_OF_POD = Pattern.compile("-resource-\\d+-[a-z0-9]+$");
  private static final double NANOS_PER_SECOND = 1e9;

  private GroupEvaluation() {}

  /**
   * Seconds until its first and last grant and its last binding, by these words; empty if the
   * driver granted nothing, or if there is no group.
   *
   * @param driver user name of the driver
   */
  static ImmutableSortedMap<String, Double> of(
      List<AuditEvent> events, String namespace, String driver, ImmutableSet<String> members) {
    ImmutableList<AuditEvent> own =
        events.stream()
            .filter(event -> event.ok() && event.namespace().equals(namespace))
            .collect(toImmutableList());
    ImmutableList<AuditEvent> ready =
        firsts(own, event -> givesClaims(event) && members.contains(event.name()));
    ImmutableList<AuditEvent> grants =
        firsts(own, event -> event.user().equals(driver) && grants(event, members));
    ImmutableList<AuditEvent> bindings =
        firsts(own, event -> event.bindsPod() && members.contains(event.name()));
    if (ready.isEmpty() || grants.isEmpty() || bindings.isEmpty()) {
      return ImmutableSortedMap.of();
    }
    Instant complete = last(ready);
    return ImmutableSortedMap.of(
        "first grant", seconds(complete, first(grants)),
        "last grant", seconds(complete, last(grants)),
        "last binding", seconds(complete, last(bindings)));
  }

  private static boolean givesClaims(AuditEvent event) {
    return event.user().equals(CLAIM_CONTROLLER)
        && event.verb().equals("patch")
        && event.resource().equals("pods/status");
  }

  /** The name of a claim is that of its pod, its entry there, and a random end. */
  private static boolean grants(AuditEvent event, ImmutableSet<String> members) {
    return event.verb().equals("patch")
        && event.resource().equals("resourceclaims/status")
        && members.contains(CLAIM_OF_POD.matcher(event.name()).replaceFirst(""));
  }

  /** The first event of each object. */
  private static ImmutableList<AuditEvent> firsts(
      List<AuditEvent> events, Predicate<AuditEvent> which) {
    Collection<AuditEvent> firsts =
        events.stream()
            .filter(which)
            .collect(Collectors.toMap(AuditEvent::name, event -> event, (one, other) -> one))
            .values();
    return ImmutableList.copyOf(firsts);
  }

  private static Instant first(ImmutableList<AuditEvent> events) {
    return events.stream().map(AuditEvent::received).min(Comparator.naturalOrder()).orElseThrow();
  }

  private static Instant last(ImmutableList<AuditEvent> events) {
    return events.stream().map(AuditEvent::answered).max(Comparator.naturalOrder()).orElseThrow();
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toNanos() / NANOS_PER_SECOND;
  }
}
