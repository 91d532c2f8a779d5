package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The driver's NetworkPolicy where somebody enforces it. Pods ask pods of other nodes: what a
 * bridge carries within a node no filter sees here.
 */
@Tag("policy")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class NetworkPolicyTest {
  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;
  private static final List<String> NODES = List.of("worker-0", "worker-1", "worker-2");
  private static final String METRICS = "http://%s:8080/metrics";
  private static final String PROBES = "http://%s:8081/healthz";
  private static final String SELECTING =
      "{\"spec\":{\"podSelector\":{\"matchLabels\":{\"selects-nobody\":%s}}}}";

  @RegisterExtension
  @Order(1)
  final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @RegisterExtension
  @Order(2)
  final Webhook webhook = new Webhook(cluster);

  /** Who asks a pod of the driver. */
  private record Way(String from, String pod, String address) {}

  @Test
  void podsReachTheMetricsAndAPIServersTheWebhookAndNobodyAnythingElse() throws Exception {
    String ns = cluster.namespace("outside");
    for (String node : NODES) {
      cluster.create(Given.podWith(ns, "on-" + node, Given.on(node)));
      cluster.until("a pod runs on " + node, () -> cluster.isPhase(ns, "on-" + node, "Running"));
    }
    List<Way> ways = ways();
    assertThat(ways).hasSizeGreaterThan(NODES.size());

    cluster.kubectl(patch("\"yes\""));
    for (Way way : ways) {
      cluster.until("without a policy all is reached: " + way, () -> answers(ns, way, PROBES));
    }
    cluster.kubectl(patch("null"));
    for (Way way : ways) {
      cluster.until("the policy is enforced: " + way, () -> !answers(ns, way, PROBES));
    }

    for (Way way : ways) {
      assertThat(answers(ns, way, METRICS)).as("metrics %s", way).isTrue();
      assertThat(asked(ns, way, PROBES).text())
          .as("packets are dropped, %s", way)
          .doesNotContain("refused");
    }
    cluster.until("the webhook is asked", () -> webhook.refusal(ns).contains(Webhook.TOLD));
    cluster.until("kubelets reach the probes", () -> driverPods().size() == readyPods());
  }

  private static String[] patch(String label) {
    return new String[] {
      "-n",
      NAMESPACE,
      "patch",
      "networkpolicy",
      "gpudra",
      "--type=merge",
      "-p",
      SELECTING.formatted(label)
    };
  }

  private boolean answers(String ns, Way way, String url) throws Exception {
    return asked(ns, way, url).code() == 0;
  }

  private Commands.Answer asked(String ns, Way way, String url) throws Exception {
    return cluster.tryKubectl(
        "-n",
        ns,
        "exec",
        way.from(),
        "--",
        "timeout",
        "3",
        "wget",
        "-q",
        "-O",
        "/dev/null",
        url.formatted(way.address()));
  }

  private List<Way> ways() throws Exception {
    List<Way> ways = new ArrayList<>();
    for (JsonNode pod : driverPods()) {
      String address = pod.at("/status/podIP").asText();
      NODES.stream()
          .filter(node -> !node.equals(pod.at("/spec/nodeName").asText()))
          .map(node -> new Way("on-" + node, pod.at("/metadata/name").asText(), address))
          .forEach(ways::add);
    }
    return ways;
  }

  private List<JsonNode> driverPods() throws IOException, InterruptedException {
    List<JsonNode> pods = new ArrayList<>();
    for (JsonNode pod :
        cluster.client().get("/api/v1/namespaces/%s/pods".formatted(NAMESPACE)).path("items")) {
      if (!pod.at("/metadata").has("deletionTimestamp")) {
        pods.add(pod);
      }
    }
    return pods;
  }

  private int readyPods() throws IOException, InterruptedException {
    return cluster.readyPods("gpudra-controller").size()
        + cluster.readyPods("gpudra-kubeletplugin").size();
  }
}
