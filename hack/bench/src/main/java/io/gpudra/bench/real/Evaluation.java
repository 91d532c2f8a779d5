package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.bench.figure.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Evaluates the audit log of the measured pods, from the first create request to the response to
 * the last binding.
 *
 * @param callsPerPod by {@code CLIENT VERB RESOURCE}, where the client is the driver or a component
 *     of Kubernetes; without leases, lists and watches
 * @param percentWithContext the share of pods for which the scheduler made a context
 * @param groupSeconds of a group, see {@link GroupEvaluation}
 */
record Evaluation(
    double podsPerSecond,
    double latencyP50Seconds,
    double latencyP99Seconds,
    ImmutableSortedMap<String, Double> callsPerPod,
    double percentWithContext,
    ImmutableSortedMap<String, Double> groupSeconds) {

  private static final String SCHEDULER = "scheduler";
  private static final ImmutableSet<String> INFORMERS = ImmutableSet.of("list", "watch");

  /** Components of Kubernetes by user; each controller loop has its own user. */
  private static final ImmutableMap<String, String> PARTS =
      ImmutableMap.of(
          "system:kube-scheduler", SCHEDULER,
          "system:kube-controller-manager", "controllers",
          "system:serviceaccount:kube-system:", "controllers");

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double PERCENT = 100;

  /**
   * Evaluates a finished phase.
   *
   * @param driver user name of the driver
   * @param members the pods of a group
   */
  static Evaluation of(
      List<AuditEvent> events, String namespace, String driver, ImmutableSet<String> members) {
    ImmutableList<Life> lives = lives(events, namespace);
    if (lives.isEmpty()) {
      throw new IllegalArgumentException("no pod of " + namespace + " was bound");
    }
    Life whole =
        new Life(
            lives.stream().map(Life::created).min(Comparator.naturalOrder()).orElseThrow(),
            lives.stream().map(Life::bound).max(Comparator.naturalOrder()).orElseThrow());
    Sample latencies = new Sample();
    lives.forEach(life -> latencies.add(life.seconds()));
    return new Evaluation(
        lives.size() / whole.seconds(),
        latencies.median(),
        latencies.quantile(0.99),
        callsPerPod(events, driver, whole, lives.size()),
        PERCENT * withContext(events, namespace) / lives.size(),
        GroupEvaluation.of(events, namespace, driver, members));
  }

  /** From a pod's create request to the answer to its binding. */
  private record Life(Instant created, Instant bound) {
    double seconds() {
      return Duration.between(created, bound).toNanos() / NANOS_PER_SECOND;
    }

    boolean contains(Instant time) {
      return !time.isBefore(created) && !time.isAfter(bound);
    }
  }

  private static ImmutableList<Life> lives(List<AuditEvent> events, String namespace) {
    Map<String, Instant> created = new HashMap<>();
    ImmutableList.Builder<Life> lives = ImmutableList.builder();
    // A pod may be bound before its create response, so creations are read first.
    events.stream()
        .filter(event -> event.namespace().equals(namespace) && event.createsPod())
        .forEach(event -> created.put(event.name(), event.received()));
    for (AuditEvent event : events) {
      Instant start = created.get(event.name());
      if (start != null && event.namespace().equals(namespace) && event.bindsPod()) {
        lives.add(new Life(start, event.answered()));
      }
    }
    return lives.build();
  }

  /** A context has the name of its pod; the claim controller makes some for pods that are bound. */
  private static double withContext(List<AuditEvent> events, String namespace) {
    return events.stream()
        .filter(event -> event.namespace().equals(namespace) && event.createsContext())
        .filter(event -> part(event.user()).equals(SCHEDULER))
        .map(AuditEvent::name)
        .distinct()
        .count();
  }

  private static ImmutableSortedMap<String, Double> callsPerPod(
      List<AuditEvent> events, String driver, Life window, int pods) {
    Map<String, Integer> calls = new TreeMap<>();
    for (AuditEvent event : events) {
      String who = event.user().equals(driver) ? Result.DRIVER : part(event.user());
      if (!who.isEmpty() && window.contains(event.received()) && counts(event)) {
        calls.merge(String.join(" ", who, event.verb(), event.resource()), 1, Integer::sum);
      }
    }
    ImmutableSortedMap.Builder<String, Double> perPod = ImmutableSortedMap.naturalOrder();
    calls.forEach((call, count) -> perPod.put(call, (double) count / pods));
    return perPod.build();
  }

  /** Empty for other clients, such as the creator of the pods. */
  private static String part(String user) {
    return PARTS.entrySet().stream()
        .filter(part -> user.startsWith(part.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  private static boolean counts(AuditEvent event) {
    return !INFORMERS.contains(event.verb()) && !event.resource().equals("leases");
  }
}
