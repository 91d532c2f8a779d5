package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who waits is served by priority, with the shipped binaries and a single GPU. */
@Tag("process")
class PriorityTest {
  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(new Plan(ImmutableMap.of("worker-0", "latest:1"), 1, 0).with("--gates"));

  private static void create(String ns, String pod, String more) throws Exception {
    cluster.create(Given.claim(ns, pod, "gpu.example.com"), Given.podWith(ns, pod, more, pod));
  }

  private static void remove(String ns, String pod) throws Exception {
    cluster.delete(ns, pod);
    cluster.deleteClaim(ns, pod);
  }

  private static boolean waits(String ns, String pod) throws Exception {
    return cluster
        .client()
        .get("/api/v1/namespaces/" + ns + "/events")
        .path("items")
        .toString()
        .contains("\"name\":\"" + pod + "\"");
  }

  @ParameterizedTest
  @CsvSource({"ordinary, false, false", "gated, true, true", "mixed, false, true"})
  void aHigherPriorityIsServedBeforeALongerWait(String name, boolean low, boolean high)
      throws Exception {
    String ns = "priority-" + name;
    cluster.create(Given.namespace(ns));
    create(ns, "first", "");
    cluster.untilRunning(ns, "first");
    create(ns, "low", low ? Given.GATE : "");
    cluster.until("the low one waits", () -> waits(ns, "low"));
    create(ns, "high", "priority: 10\n  " + (high ? Given.GATE : ""));
    cluster.until("the high one waits", () -> waits(ns, "high"));

    remove(ns, "first");
    cluster.untilRunning(ns, "high");
    assertThat(cluster.isAllocated(ns, "low")).isFalse();
    remove(ns, "high");
    cluster.untilRunning(ns, "low");
    remove(ns, "low");
    cluster.until("the GPU is free", () -> cluster.pod(ns, "low").isEmpty());
  }
}
