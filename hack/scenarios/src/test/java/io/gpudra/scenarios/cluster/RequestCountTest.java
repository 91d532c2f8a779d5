package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.http.RequestLog;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API server double counts what the controller asks of it (architecture.md 7.5). */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RequestCountTest {
  private static final int PODS = 5;

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @Test
  void aPodCosts3CallsToAllocateAnd2ToRelease() throws Exception {
    String ns = "counted";
    cluster.create(Given.namespace(ns));
    Predicate<RequestLog.Entry> here = entry -> entry.namespace().equals(ns);
    for (int i = 0; i < PODS; i++) {
      oneAfterTheOther(ns, "pod-" + i, here);
    }
    becomesQuiet(here);
    assertThat(cluster.controllerCalls(here)).hasSizeLessThanOrEqualTo(PODS * (3 + 2));
    assertThat(cluster.controllerCalls(here))
        .filteredOn(call -> !call.verb().equals("get"))
        .as("finalizer and status, twice each")
        .hasSize(PODS * (2 + 2));
  }

  private static void oneAfterTheOther(String ns, String name, Predicate<RequestLog.Entry> here)
      throws Exception {
    int before = cluster.controllerCalls(here).size();
    cluster.create(Given.claim(ns, name, "gpu.example.com"), Given.pod(ns, name, name));
    cluster.until("the pod runs", () -> cluster.isPhase(ns, name, "Running"));
    int allocated = cluster.controllerCalls(here).size();
    assertThat(cluster.controllerCalls(here).subList(before, allocated))
        .as("pod read, finalizer, status")
        .hasSizeBetween(2, 3);
    cluster.delete(ns, name);
    cluster.until(
        "the claim is released",
        () ->
            cluster
                .claim(ns, name)
                .filter(c -> !c.at("/status").has("allocation"))
                .filter(c -> c.at("/metadata/finalizers").isEmpty())
                .isPresent());
    // A call is in the log once it was answered, a little after its effect can be read.
    cluster.until(
        "status and finalizer are logged",
        () -> cluster.controllerCalls(here).size() >= allocated + 2);
  }

  @Test
  void aRecheckThatChangesNothingCostsNoCall() throws Exception {
    String ns = "rechecked";
    cluster.create(
        Given.namespace(ns),
        Given.parameters(ns, "too-many", "{count: 9}"),
        Given.claimWith(ns, "gpus", "too-many"),
        Given.pod(ns, "waits", "gpus"));
    String context = ClusterUnderTest.DRA + ns + "/podschedulingcontexts/waits";
    Predicate<RequestLog.Entry> here = entry -> entry.namespace().equals(ns);
    cluster.until("the context exists", () -> cluster.client().find(context).isPresent());
    becomesQuiet(here);
    // A context seen before its claim leaves a doubt about the pod, which the next look settles.
    touch(context, PODS);
    becomesQuiet(here);
    List<RequestLog.Entry> before = cluster.controllerCalls(here);
    for (int i = 0; i < PODS; i++) {
      touch(context, i);
    }
    String other = "other-" + ns;
    cluster.create(
        Given.namespace(other),
        Given.claim(other, "gpu", "gpu.example.com"),
        Given.pod(other, "later", "gpu"));
    cluster.until("a later pod is served", () -> cluster.isPhase(other, "later", "Running"));
    assertThat(cluster.controllerCalls(here)).isEqualTo(before);
  }

  private static void becomesQuiet(Predicate<RequestLog.Entry> kind) {
    await("no call for 2 s")
        .during(Duration.ofSeconds(2))
        .atMost(ClusterUnderTest.LIMIT)
        .until(new Unchanged(kind)::check);
  }

  private static void touch(String context, int i) throws Exception {
    ObjectNode object = (ObjectNode) cluster.client().get(context);
    object.withObject("/metadata/annotations").put("touched", Integer.toString(i));
    cluster.client().put(context, object);
  }

  /** Whether the count is what it was at the last look. */
  private static final class Unchanged {
    private final Predicate<RequestLog.Entry> kind;
    private long last = -1;

    Unchanged(Predicate<RequestLog.Entry> kind) {
      this.kind = kind;
    }

    boolean check() {
      long before = last;
      last = cluster.controllerCalls(kind).size();
      return last == before;
    }
  }
}
