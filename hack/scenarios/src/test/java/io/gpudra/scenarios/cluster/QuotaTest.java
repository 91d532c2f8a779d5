package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.Child;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Quotas with the shipped binaries: two controllers, eight GPUs. */
@Tag("process")
class QuotaTest {
  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(new Plan(ImmutableMap.of("worker-0", "latest:8"), 2, 0).with("--gates"));

  private static String quota(String ns, int gpus) {
    return """
    apiVersion: gpu.resource.example.com/v1alpha1
    kind: GpuQuota
    metadata: {namespace: %s, name: team}
    spec: {hard: {gpus: %d}}
    """
        .formatted(ns, gpus);
  }

  private static String path(String ns) {
    return "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuquotas/team".formatted(ns);
  }

  private static void raise(String ns, int gpus) throws Exception {
    ObjectNode quota = (ObjectNode) cluster.client().get(path(ns));
    quota.withObject("/spec/hard").put("gpus", gpus);
    cluster.client().put(path(ns), quota);
  }

  private static boolean isTold(String ns, String object, String text) throws Exception {
    JsonNode events = cluster.client().get("/api/v1/namespaces/" + ns + "/events").path("items");
    return StreamSupport.stream(events.spliterator(), false)
        .filter(event -> event.at("/involvedObject/name").asText().equals(object))
        .filter(event -> event.path("reason").asText().equals("QuotaExceeded"))
        .anyMatch(event -> event.path("message").asText().contains(text));
  }

  private static List<String> allocated(String ns, int pods) throws Exception {
    List<String> names = IntStream.range(0, pods).mapToObj(i -> "p-" + i).toList();
    return names.stream().filter(name -> isAllocated(ns, name)).toList();
  }

  private static boolean isAllocated(String ns, String claim) {
    try {
      return cluster.isAllocated(ns, claim);
    } catch (Exception e) {
      throw new IllegalStateException(claim, e);
    }
  }

  @Test
  void thePodBeyondAQuotaRunsWhenAnotherOneIsGoneOrTheQuotaIsRaised() throws Exception {
    String ns = "quota-line";
    cluster.create(Given.namespace(ns), quota(ns, 2));
    cluster.createWithClaim(ns, "p-0", "");
    cluster.createWithClaim(ns, "p-1", Given.GATE);
    cluster.untilRunning(ns, "p-0");
    cluster.untilRunning(ns, "p-1");
    cluster.createWithClaim(ns, "p-2", "");
    cluster.createWithClaim(ns, "p-3", Given.GATE);
    String text = "quota \"team\": gpus 2 of 2 in use, 1 more wanted";
    cluster.until("the pod of the ordinary path is told", () -> isTold(ns, "p-2", text));
    cluster.until("the pod at the gate is told", () -> isTold(ns, "p-3", text));
    cluster.until(
        "the status tells both",
        () -> {
          JsonNode status = cluster.client().get(path(ns)).path("status");
          return status.at("/used/gpus").asText().equals("2")
              && status.path("waitingClaims").asInt() == 2;
        });

    cluster.deleteWithClaim(ns, "p-0");
    cluster.until("its claim is gone", () -> claims(ns) == 3);
    cluster.until("one of the others", () -> allocated(ns, 4).size() == 2);
    raise(ns, 3);
    cluster.untilRunning(ns, "p-2");
    cluster.untilRunning(ns, "p-3");
    for (int i = 1; i < 4; i++) {
      cluster.deleteWithClaim(ns, "p-" + i);
    }
  }

  @Test
  void noLeaderGrantsMoreThanAllowed() throws Exception {
    String ns = "quota-killed";
    cluster.create(Given.namespace(ns), quota(ns, 3));
    cluster.until("a controller leads", () -> cluster.leader().isPresent());
    Child leader = cluster.leader().orElseThrow();
    int pods = 6;
    for (int i = 0; i < pods; i++) {
      cluster.createWithClaim(ns, "p-" + i, i % 2 == 0 ? Given.GATE : "");
    }
    cluster.until("the first is granted", () -> !allocated(ns, pods).isEmpty());
    leader.kill();
    cluster.replaceDeadControllers();
    cluster.until("as many as allowed are granted", () -> allocated(ns, pods).size() == 3);
    for (int left = pods; left > 0; left--) {
      assertThat(allocated(ns, pods).size()).isLessThanOrEqualTo(3);
      cluster.until("one is granted", () -> !allocated(ns, pods).isEmpty());
      cluster.deleteWithClaim(ns, allocated(ns, pods).get(0));
      int gone = pods - left + 1;
      cluster.until("it is gone", () -> claims(ns) == pods - gone);
    }
  }

  private static int claims(String ns) throws Exception {
    return cluster.client().get(ClusterUnderTest.DRA + ns + "/resourceclaims").path("items").size();
  }
}
