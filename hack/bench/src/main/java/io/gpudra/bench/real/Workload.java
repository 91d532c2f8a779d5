package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Pods with claims, on nodes with GPUs.
 *
 * @param initPods bound before the measurement
 * @param podsPerSecond rate of the measured pods; 0 for all at once
 * @param groupSize the number of measured pods that are a group, evenly among the others
 */
record Workload(
    String name,
    int nodes,
    int gpusPerNode,
    int claimsPerPod,
    int initPods,
    int measuredPods,
    int podsPerSecond,
    int groupSize) {

  private static final int AT_ONCE = 0;
  private static final int NO_GROUP = 0;

  /**
   * SchedulingWithResourceClaimTemplate with 100 and 200 nodes, and
   * SchedulingWithMultipleResourceClaims with 200. Upstream's four claims belong to two drivers;
   * here one driver has them all, with the GPUs of both. The others are not in upstream: a burst on
   * an empty cluster that stays half empty, a steady rate of pods for two minutes, a group in a
   * burst, the largest group, and one for a quick test.
   */
  static final ImmutableList<Workload> ALL =
      ImmutableList.of(
          new Workload("one-claim-100-nodes", 100, 20, 1, 1000, 1000, AT_ONCE, NO_GROUP),
          new Workload("one-claim-200-nodes", 200, 10, 1, 1000, 1000, AT_ONCE, NO_GROUP),
          new Workload("four-claims-200-nodes", 200, 40, 4, 1000, 1000, AT_ONCE, NO_GROUP),
          new Workload("half", 100, 20, 1, 0, 1000, AT_ONCE, NO_GROUP),
          new Workload("steady-5", 100, 20, 1, 500, 600, 5, NO_GROUP),
          new Workload("steady-10", 100, 20, 1, 500, 1200, 10, NO_GROUP),
          new Workload("group-64", 100, 20, 1, 0, 1064, AT_ONCE, 64),
          new Workload("group-1024", 128, 8, 1, 0, 1024, AT_ONCE, 1024),
          new Workload("quick", 100, 5, 1, 200, 300, AT_ONCE, NO_GROUP));

  static Workload named(String name) {
    return ALL.stream()
        .filter(workload -> workload.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no workload " + name));
  }

  ImmutableList<String> nodeNames() {
    return numbered("node-", nodes);
  }

  ImmutableList<String> podNames(Phase phase) {
    return numbered("pod-", phase == Phase.INIT ? initPods : measuredPods);
  }

  /** Whether this pod of a phase is a member of the group. */
  boolean isMember(Phase phase, int pod) {
    if (phase == Phase.INIT || groupSize == NO_GROUP) {
      return false;
    }
    int distance = measuredPods / groupSize;
    return pod % distance == 0 && pod / distance < groupSize;
  }

  /** The names of the group's pods. */
  ImmutableSet<String> memberNames() {
    ImmutableList<String> pods = podNames(Phase.MEASURED);
    return IntStream.range(0, pods.size())
        .filter(pod -> isMember(Phase.MEASURED, pod))
        .mapToObj(pods::get)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** When this pod of a phase is due, in nanoseconds since the begin of the phase. */
  long dueNanos(Phase phase, int pod) {
    boolean atOnce = phase == Phase.INIT || podsPerSecond == AT_ONCE;
    return atOnce ? 0 : pod * TimeUnit.SECONDS.toNanos(1) / podsPerSecond;
  }

  private static ImmutableList<String> numbered(String prefix, int count) {
    ImmutableList.Builder<String> names = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      names.add("%s%04d".formatted(prefix, i));
    }
    return names.build();
  }

  /** Pods of a phase live in a namespace of their own. */
  enum Phase {
    INIT("init"),
    MEASURED("test");

    private final String namespace;

    Phase(String namespace) {
      this.namespace = namespace;
    }

    String namespace() {
      return namespace;
    }
  }
}
