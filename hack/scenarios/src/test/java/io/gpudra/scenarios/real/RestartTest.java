package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What runs on a node goes on running while the parts that started it are replaced. */
@Tag("real")
@ResourceLock(RestartTest.NODE)
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RestartTest {
  static final String NODE = "worker-0";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void aKubeletRestartKeepsAPodRunningAndItsClaimPrepared() throws Exception {
    Running running = start("restart-kubelet");
    cluster.node("restart-kubelet", NODE);
    assertGoesOn(running);
  }

  @Test
  void aPluginRestartKeepsAPodRunningAndItsClaimPrepared() throws Exception {
    Running running = start("restart-plugin");
    String plugin = cluster.awaitPluginOn(NODE);
    cluster.delete(RealClusterUnderTest.NAMESPACE, plugin);
    cluster.until(
        "another plugin serves",
        () -> cluster.pluginOn(NODE).filter(now -> !now.equals(plugin)).isPresent());
    assertGoesOn(running);
  }

  private Running start(String test) throws Exception {
    String ns = cluster.namespace(test, NODE);
    cluster.create(
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.podWith(ns, "first", Given.on(NODE), "gpu"));
    cluster.until("the pod runs", () -> cluster.isPhase(ns, "first", "Running"));
    JsonNode pod = cluster.pod(ns, "first").orElseThrow();
    return new Running(ns, container(pod));
  }

  /** A second pod on the claim makes the kubelet ask the plugin once more. */
  private void assertGoesOn(Running running) throws Exception {
    String ns = running.namespace();
    assertThat(cluster.prepared(NODE)).contains(ns + "/gpu");
    cluster.create(Given.pod(ns, "second", "gpu"));
    cluster.until("a second pod runs", () -> cluster.isPhase(ns, "second", "Running"));
    cluster.until("and has printed what it sees", () -> !cluster.seenBy(ns, "second").isEmpty());
    Set<String> granted = cluster.granted(ns, "gpu");
    assertThat(granted).hasSize(1);
    assertThat(cluster.seenBy(ns, "first")).isEqualTo(granted);
    assertThat(cluster.seenBy(ns, "second")).isEqualTo(granted);
    JsonNode pod = cluster.pod(ns, "first").orElseThrow();
    assertThat(container(pod)).isEqualTo(running.container());
    assertThat(pod.at("/status/containerStatuses/0/restartCount").asInt()).isZero();
    assertThat(pod.at("/status/phase").asText()).isEqualTo("Running");
  }

  private String container(JsonNode pod) {
    return pod.at("/status/containerStatuses/0/containerID").asText();
  }

  /** In which container the first pod runs. */
  private record Running(String namespace, String container) {}
}
