package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.ClusterCheck;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.scenarios.process.Child;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Observer;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What must be so in the end, whatever was done to the cluster before. */
record Aftermath(ClusterUnderTest cluster, String namespace) {
  private static final Pattern PORT = Pattern.compile("debugPort=(\\d+)");

  /** Deletes the namespace; then no object, device, file or entry of a ledger may be left of it. */
  void isClean() throws IOException, InterruptedException {
    cluster.client().delete("/api/v1/namespaces/" + namespace);
    Observer observer = new Observer(cluster.client(), cluster.cluster().nodes());
    cluster.untilNone("what is left", () -> observer.leftovers(namespace));
    cluster.untilNone(
        "what the ledger holds",
        () -> {
          cluster.replaceDeadControllers();
          return ledger();
        });
    assertThat(findings()).isEmpty();
  }

  /** The {@code check} command as it is shipped. */
  void shippedCheckFindsNothing() throws IOException {
    Child check =
        cluster
            .cluster()
            .children()
            .startJar(
                "check",
                ClusterUnderTest.installation().controller(),
                List.of("check", "--kubeconfig=" + cluster.cluster().kubeconfig()));
    cluster.until("it ends", () -> check.exitCode().isPresent());
    assertThat(check.exitCode()).contains(0);
  }

  /** Everything in the leader's ledger that is more than a device nobody has. */
  List<String> ledger() throws IOException, InterruptedException {
    Optional<Child> leader = cluster.leader();
    Optional<String> port = leader.isPresent() ? leader.get().said(PORT) : Optional.empty();
    return port.isEmpty()
        ? List.of("nobody leads")
        : entries(
            new ClusterClient(URI.create("http://127.0.0.1:" + port.get())).get("/debug/ledger"));
  }

  private static List<String> entries(JsonNode page) {
    List<String> entries = new ArrayList<>();
    if (!page.path("leading").asBoolean()) {
      entries.add("it does not lead");
    }
    page.path("findings").forEach(finding -> entries.add(finding.toString()));
    for (JsonNode node : page.path("nodes")) {
      node.path("unreadable").forEach(handle -> entries.add(handle.toString()));
      for (JsonNode device : node.path("devices")) {
        int holders =
            device.path("granted").size()
                + device.path("inFlight").size()
                + device.path("prepared").size();
        if (holders > 0) {
          entries.add(device.toString());
        }
      }
    }
    return entries;
  }

  /** As the {@code check} command does. */
  private ImmutableList<Finding> findings() throws IOException {
    String server = cluster.cluster().server().toString();
    try (HttpClients http =
        HttpClients.plain(server, Duration.ofSeconds(10), new MetricRegistry())) {
      KubeSettings settings = new KubeSettings(Binaries.DRIVER_NAME, 30, Clock.systemUTC());
      return ClusterCheck.of(
          ClusterSnapshot.of(
              ClusterObjects.of(http, settings), Binaries.DRIVER_NAME, Instant.now()));
    }
  }
}
