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
    cluster.createWithClaim(ns, "first", "");
    cluster.untilRunning(ns, "first");
    cluster.createWithClaim(ns, "low", low ? Given.GATE : "");
    cluster.until("the low one waits", () -> waits(ns, "low"));
    cluster.createWithClaim(ns, "high", "priority: 10\n  " + (high ? Given.GATE : ""));
    cluster.until("the high one waits", () -> waits(ns, "high"));

    cluster.deleteWithClaim(ns, "first");
    cluster.untilRunning(ns, "high");
    assertThat(cluster.isAllocated(ns, "low")).isFalse();
    cluster.deleteWithClaim(ns, "high");
    cluster.untilRunning(ns, "low");
    cluster.deleteWithClaim(ns, "low");
  }
}
