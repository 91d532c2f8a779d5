package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What people see of their parameters before any claim names them. */
class ParametersStatusTest {
  private static final String PARAMETERS =
      "/apis/gpu.resource.example.com/v1alpha1/namespaces/default/gpuclaimparameters";

  private final List<AutoCloseable> started = new ArrayList<>();
  private final List<String> ends = Collections.synchronizedList(new ArrayList<>());
  private Path directory;
  private Cluster cluster;

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : started) {
      one.close();
    }
    cluster.close();
  }

  private ControllerLifecycle controller(String identity) throws IOException {
    ControllerOptions options = new ControllerOptions();
    new CommandLine(options)
        .parseArgs(
            "--kubeconfig=" + cluster.kubeconfig(directory),
            "--namespace=gpudra",
            "--lease-duration=2s",
            "--renew-deadline=1500ms",
            "--retry-period=100ms",
            "--workers=2");
    MetricRegistry metrics = new MetricRegistry();
    HttpClients http = HttpClients.connect(options.kubeconfig(), options.apiTimeout(), metrics);
    ControllerComponents controllerComponents =
        new ControllerAssembly(options, http, metrics).wire(identity, 30, ends::add);
    ControllerLifecycle controller =
        new ControllerLifecycle(
            controllerComponents, options.workers, e -> ends.add("broken " + e));
    controller.start();
    started.add(
        () -> {
          boolean unused = controller.stop();
          http.close();
        });
    return controller;
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
  }

  private static String condition(JsonNode status, String type, String field) {
    return Streams.stream(status.path("conditions"))
        .filter(one -> one.path("type").asText().equals(type))
        .map(one -> one.path(field).asText())
        .findFirst()
        .orElse("");
  }

  private boolean is(String name, String type, String reason) {
    return condition(cluster.statusOfWanted(name), type, "reason").equals(reason);
  }

  private long writes() {
    return cluster
        .server
        .requests()
        .count(
            one ->
                one.verb().equals("patch") && one.resource().matches("gpucl.*parameters/status"));
  }

  @Test
  void parametersSayWhatIsThereForThemAndWhatIsWrong() throws Exception {
    cluster.addNode("worker-1");
    cluster.wanted("pair", "{\"count\":2,\"memory\":\"16Gi\"}");
    cluster.wanted("typo", "{\"cel\":\"device.memry > 1\"}");
    cluster.offered("class");
    controller("a");

    await("what there is", () -> is("pair", "Satisfiable", "DevicesExist"));
    await("what is wrong", () -> is("typo", "Valid", "InvalidExpression"));
    await("what the class has", () -> cluster.statusOfOffered("class").has("matchingNodes"));

    assertThat(cluster.statusOfOffered("class").path("matchingDevices").asInt()).isEqualTo(2);
    assertThat(condition(cluster.statusOfWanted("typo"), "Valid", "message"))
        .isEqualTo("spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?");
    assertThat(table(PARAMETERS))
        .containsExactly(
            "Name Request Valid Nodes Devices Reason",
            "pair 2 GPUs >=16Gi True 1 2 -",
            "typo - False - - InvalidExpression");

    long before = writes();
    cluster.wanted("typo", "{\"cel\":\"device.memory > 1\"}");
    await("the correction", () -> is("typo", "Satisfiable", "DevicesExist"));
    assertThat(condition(cluster.statusOfWanted("typo"), "Valid", "status")).isEqualTo("True");
    assertThat(cluster.statusOfWanted("typo").path("observedGeneration").asInt()).isEqualTo(2);
    await("its request in the log", () -> writes() > before);
    assertThat(writes() - before).isOne();
    assertThat(ends).isEmpty();
  }

  /** As {@code kubectl get} has it, but for the ages. */
  private List<String> table(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(cluster.server.url() + path))
            .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
            .build();
    String body = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    JsonNode table = Json.parse(body);
    List<String> lines = new ArrayList<>();
    lines.add(line(table.path("columnDefinitions"), one -> one.path("name").asText()));
    for (JsonNode row : table.path("rows")) {
      lines.add(line(row.path("cells"), one -> one.isNull() ? "-" : one.asText()));
    }
    return lines;
  }

  private static String line(JsonNode cells, Function<JsonNode, String> text) {
    List<String> all = Streams.stream(cells).map(text).toList();
    return String.join(" ", all.subList(0, all.size() - 1));
  }

  @Test
  void aNewLeaderHasNothingToWriteWhereNothingChanged() throws Exception {
    cluster.addNode("worker-1");
    cluster.wanted("one", "{}");
    ControllerLifecycle first = controller("a");
    await("what there is", () -> is("one", "Satisfiable", "DevicesExist"));
    ControllerLifecycle second = controller("b");
    await("a warm standby", () -> second.vitals().synced());
    long before = writes();

    assertThat(first.stop()).isTrue();
    cluster.wanted("two", "{\"count\":3}");
    await("the new leader's", () -> is("two", "Satisfiable", "NoMatchingNode"));
    await("its request in the log", () -> writes() > before);

    assertThat(cluster.leaseHolder()).isEqualTo("b");
    assertThat(writes() - before).isOne();
    assertThat(condition(cluster.statusOfWanted("two"), "Satisfiable", "message"))
        .isEqualTo("spec.count: largest node has 2 GPUs, 3 wanted");
  }

  @Test
  void aStandbyWritesNothing() throws Exception {
    ControllerLifecycle first = controller("a");
    await("the leader's caches", () -> first.vitals().synced());
    await("a leader", () -> cluster.leaseHolder().equals("a"));
    ControllerLifecycle second = controller("b");
    await("a warm standby", () -> second.vitals().synced());
    cluster.addNode("worker-1");
    cluster.wanted("one", "{}");

    await("what there is", () -> is("one", "Satisfiable", "DevicesExist"));
    assertThat(writes()).isLessThanOrEqualTo(2);
  }
}
