package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class TwoNodesTest {
  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "t4", "worker-1", "t4"));

  @Test
  void twoPodsThatShareAClaimAndSelectTwoNodesGetOneGrantAfterTheOther() throws Exception {
    String ns = "two-nodes";
    cluster.create(
        Given.namespace(ns),
        Given.podWith(ns, "on-0", on("worker-0"), "gpu"),
        Given.podWith(ns, "on-1", on("worker-1"), "gpu"),
        Given.claim(ns, "gpu", "gpu.example.com"));
    cluster.until("one pod runs", () -> runs(ns, "on-0") || runs(ns, "on-1"));
    String first = runs(ns, "on-0") ? "on-0" : "on-1";
    String second = first.equals("on-0") ? "on-1" : "on-0";
    assertThat(cluster.seenBy(ns, first)).isEqualTo(cluster.granted(ns, "gpu"));
    assertThat(runs(ns, second)).isFalse();
    cluster.delete(ns, first);
    cluster.until("the other pod runs", () -> runs(ns, second));
    assertThat(cluster.seenBy(ns, second)).isEqualTo(cluster.granted(ns, "gpu")).hasSize(1);
  }

  private static String on(String node) {
    return "nodeSelector: {kubernetes.io/hostname: " + node + "}";
  }

  private static boolean runs(String ns, String pod) throws Exception {
    return cluster.isPhase(ns, pod, "Running");
  }
}
