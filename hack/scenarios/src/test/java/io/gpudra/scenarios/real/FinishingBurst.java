package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Burst;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** A burst of short pods, each with a GPU of its own for a moment. */
record FinishingBurst(RealClusterUnderTest cluster, Burst burst) {
  private static final int PODS = 30;

  static FinishingBurst start(RealClusterUnderTest cluster, String test)
      throws IOException, InterruptedException {
    FinishingBurst started = of(PODS, cluster, test);
    started.burst.prepare().begin();
    return started;
  }

  /** In a namespace that has the template. */
  static FinishingBurst in(String namespace, RealClusterUnderTest cluster)
      throws IOException, InterruptedException {
    FinishingBurst started = new FinishingBurst(cluster, new Burst(cluster, namespace, PODS));
    started.burst.begin();
    return started;
  }

  private static FinishingBurst of(int pods, RealClusterUnderTest cluster, String test)
      throws IOException, InterruptedException {
    String namespace = cluster.namespace(test, "worker-0", "worker-1", "worker-2");
    return new FinishingBurst(cluster, new Burst(cluster, namespace, pods));
  }

  /** Of so many pods with whole GPUs, MIG devices and shares, alternatives and several requests. */
  static FinishingBurst ofAllKinds(int pods, RealClusterUnderTest cluster, String test)
      throws IOException, InterruptedException {
    FinishingBurst started = of(pods, cluster, test);
    started.burst.beginWithAllKinds();
    return started;
  }

  /** Waits until it is well under way. */
  void awaitMiddle() throws IOException, InterruptedException {
    cluster.until("a third of the burst is done", () -> done() >= burst.size() / 3);
    assertThat(done()).isLessThan(burst.size());
  }

  /** Waits until every pod has run. */
  void awaitEnd() {
    cluster.until("two thirds of the burst are done", () -> done() >= burst.size() * 2 / 3);
    cluster.until("every pod of the burst has run", () -> done() == burst.size());
  }

  /** Waits until every pod has run, and sees that no two had a GPU at the same time. */
  void loseNothing() throws IOException, InterruptedException {
    awaitEnd();
    List<Use> uses = uses();
    assertThat(uses).hasSize(burst.size());
    for (int i = 1; i < uses.size(); i++) {
      Use before = uses.get(i - 1);
      Use after = uses.get(i);
      assertThat(before.gpu().equals(after.gpu()) && after.start().isBefore(before.end()))
          .as(before + " and " + after)
          .isFalse();
    }
  }

  private int done() throws IOException, InterruptedException {
    return burst.inPhase("Succeeded");
  }

  private List<Use> uses() throws IOException, InterruptedException {
    List<Use> uses = new ArrayList<>();
    for (JsonNode pod : burst.pods()) {
      String name = pod.at("/metadata/name").asText();
      JsonNode end = pod.at("/status/containerStatuses/0/state/terminated");
      Set<String> gpus = cluster.seenBy(burst.namespace(), name);
      assertThat(gpus).as(name).hasSize(1);
      uses.add(
          new Use(
              gpus.iterator().next(),
              Instant.parse(end.path("startedAt").asText()),
              Instant.parse(end.path("finishedAt").asText()),
              name));
    }
    uses.sort(Comparator.comparing(Use::gpu).thenComparing(Use::start));
    return uses;
  }

  /** A pod's time with its GPU. */
  private record Use(String gpu, Instant start, Instant end, String pod) {}
}
