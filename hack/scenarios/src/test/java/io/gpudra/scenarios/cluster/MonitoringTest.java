package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.metrics.Exposed;
import io.gpudra.scenarios.metrics.MetricsTable;
import io.gpudra.scenarios.process.Child;
import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What controller and plugin tell Prometheus, against the table of metrics and against the
 * dashboard. Without a Prometheus on the PATH its queries are left out, unless {@code
 * -Dmonitoring.required} says that there must be one.
 */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class MonitoringTest {
  private static final Path MONITORING = Path.of("../../manifests/monitoring");
  private static final Path METRICS = Path.of("../../docs/reference/metrics.md");
  private static final Pattern LISTENING =
      Pattern.compile("msg=\"Listening on\" address=127\\.0\\.0\\.1:(\\d+)");

  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  /** A pod comes and goes, another one waits for ever. */
  @BeforeAll
  static void letPodsComeAndGo() throws Exception {
    String ns = "watched";
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "one", "gpu.example.com"),
        Given.pod(ns, "comes", "one"),
        Given.claim(ns, "now", "gpu.example.com, allocationMode: Immediate"),
        """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuQuota
        metadata: {namespace: %s, name: all}
        spec: {hard: {gpus: 64, memory: 64Ti}}
        """
            .formatted(ns),
        Given.parameters(ns, "too-many", "{count: 9}"),
        Given.claimWith(ns, "all", "too-many"),
        Given.pod(ns, "waits", "all"));
    cluster.until("the pod runs", () -> cluster.isPhase(ns, "comes", "Running"));
    cluster.until("the other claim is granted", () -> cluster.isAllocated(ns, "now"));
    cluster.delete(ns, "comes");
    cluster.until("the claim is released", () -> !cluster.isAllocated(ns, "one"));
    cluster.until(
        "a census has counted who waits",
        () -> controllerPage().contains("gpudra_claims_waiting{"));
    cluster.until("the quota is read", () -> controllerPage().contains("gpudra_quota_used{"));
  }

  private static String controllerPage() throws IOException, InterruptedException {
    return LocalPages.metrics(controller());
  }

  private static String pluginPage() throws IOException, InterruptedException {
    return LocalPages.metrics(plugin());
  }

  private static Child controller() {
    return cluster.cluster().binaries().controllers().get(0);
  }

  private static Child plugin() {
    return cluster.cluster().binaries().plugin("worker-0");
  }

  @Test
  void theTableHasEveryMetricWithItsTypeAndLabelsAndNoOther() throws Exception {
    MetricsTable table = MetricsTable.read(METRICS);

    assertThat(Exposed.of(controllerPage())).isEqualTo(table.of("controller"));
    assertThat(Exposed.of(pluginPage())).isEqualTo(table.of("plugin"));
  }

  @Test
  void whatBecameOfAPodWasTimed() throws Exception {
    cluster.until("the release is timed", () -> counts(controllerPage(), "gpudra_release_seconds"));
    assertThat(controllerPage())
        .matches(page -> counts(page, "gpudra_grant_wait_seconds", "mode=\"delayed\""))
        .matches(page -> counts(page, "gpudra_grant_wait_seconds", "mode=\"immediate\""))
        .matches(page -> counts(page, "gpudra_api_call_seconds", "method=\"PATCH\""))
        .matches(page -> counts(page, "gpudra_loop_latency_seconds", "loop=\"contexts\""))
        .containsPattern("gpudra_claims_waiting\\{age=\"\\w+\",class=\"gpu.example.com\"} 1.0");
    assertThat(pluginPage())
        .matches(page -> counts(page, "gpudra_plugin_prepare_seconds"))
        .matches(page -> counts(page, "gpudra_plugin_unprepare_seconds"));
  }

  /** Whether something was timed, by some of the labels that the histogram has. */
  private static boolean counts(String page, String histogram, String... labels) {
    return page.lines()
        .filter(line -> line.matches(histogram + "_count[{ ].*"))
        .filter(line -> Arrays.stream(labels).allMatch(line::contains))
        .anyMatch(line -> !line.endsWith(" 0"));
  }

  @Test
  void everyQueryOfTheDashboardFindsSomething() throws Exception {
    assumeTrue(
        hasPrometheus() || Boolean.getBoolean("monitoring.required"),
        "prometheus is not on the PATH");
    Child prometheus = startPrometheus();
    cluster.until("Prometheus listens", () -> prometheus.said(LISTENING).isPresent());
    String port = prometheus.said(LISTENING).orElseThrow();
    List<String> queries = queries();

    assertThat(queries).hasSizeGreaterThan(20);
    cluster.untilNone(
        "queries that find nothing",
        () -> queries.stream().filter(query -> nothingFound(port, query)).toList());
  }

  private static boolean hasPrometheus() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "prometheus")));
  }

  private static Child startPrometheus() throws IOException {
    Path directory = controller().log().resolveSibling("prometheus");
    Files.createDirectories(directory);
    Path config = directory.resolve("prometheus.yml");
    Files.writeString(
        config,
        """
        global: {scrape_interval: 1s}
        scrape_configs:
        - job_name: gpudra
          static_configs: [{targets: ["127.0.0.1:%s", "127.0.0.1:%s"]}]
        """
            .formatted(LocalPages.metricsPort(controller()), LocalPages.metricsPort(plugin())));
    return cluster
        .cluster()
        .children()
        .start(
            "prometheus",
            List.of(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:0"));
  }

  private static List<String> queries() throws IOException {
    JsonNode dashboard = JSON.readTree(MONITORING.resolve("dashboard.json").toFile());
    return dashboard.findValuesAsText("expr").stream()
        .map(query -> query.replace("$__rate_interval", "1m"))
        .toList();
  }

  private static boolean nothingFound(String port, String query) {
    try {
      return !finds(port, query);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(query, e);
    }
  }

  private static boolean finds(String port, String query) throws IOException, InterruptedException {
    String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
    JsonNode answer = JSON.readTree(LocalPages.get(port, path));
    assertThat(answer.path("status").asText()).as(query).isEqualTo("success");
    return !answer.at("/data/result").isEmpty();
  }
}
