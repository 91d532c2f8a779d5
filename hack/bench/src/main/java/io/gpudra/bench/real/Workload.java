package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;

/**
 * One of the workloads for classic DRA of upstream's scheduler_perf. Its pods fill its nodes to the
 * last GPU.
 *
 * @param initPods bound before measuring starts
 */
record Workload(
    String name, int nodes, int gpusPerNode, int claimsPerPod, int initPods, int measuredPods) {

  /**
   * SchedulingWithResourceClaimTemplate with 100 and 200 nodes, and
   * SchedulingWithMultipleResourceClaims with 200. Upstream's four claims belong to two drivers;
   * here one driver has them all, with the GPUs of both. The last is for a first look.
   */
  static final ImmutableList<Workload> ALL =
      ImmutableList.of(
          new Workload("one-claim-100-nodes", 100, 20, 1, 1000, 1000),
          new Workload("one-claim-200-nodes", 200, 10, 1, 1000, 1000),
          new Workload("four-claims-200-nodes", 200, 40, 4, 1000, 1000),
          new Workload("quick", 100, 5, 1, 200, 300));

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
