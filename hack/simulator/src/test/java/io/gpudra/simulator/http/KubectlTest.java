package io.gpudra.simulator.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.api.Json;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What kubectl 1.30 asks for, from a recording everywhere and from the binary where there is one.
 */
class KubectlTest {
  private static final String THINGS =
      """
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClass
      metadata: {name: gpu}
      driverName: gpu.example.com
      ---
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaim
      metadata: {name: c1, namespace: default, labels: {a: b}}
      spec: {resourceClassName: gpu}
      """;

  private final EmbeddedApiServer server = EmbeddedApiServer.start(0);
  private @TempDir Path folder = Path.of(".");

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void recordedRequestsAreAnsweredAsTheyWereRecorded() throws IOException {
    Client client = Client.of(server.url());
    int count = 0;
    InputStream recording = KubectlTest.class.getResourceAsStream("kubectl-requests.jsonl");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Objects.requireNonNull(recording), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        replay(client, Json.MAPPER.readTree(line));
        count++;
      }
    }
    assertThat(count).isGreaterThan(50);
  }

  private static void replay(Client client, JsonNode recorded) {
    String what = Json.text(recorded, "method") + " " + Json.text(recorded, "path");
    String accept = Json.text(recorded, "accept");
    Client.Answer answer =
        client.send(
            Json.text(recorded, "method"),
            Json.text(recorded, "path"),
            Json.text(recorded, "contentType"),
            Json.text(recorded, "body"),
            accept.isEmpty() ? "*/*" : accept);
    assertThat(answer.code()).as(what).isEqualTo(recorded.path("code").asInt());
    assertThat(answer.at("kind")).as(what).isEqualTo(Json.text(recorded, "kind"));
  }

  @Test
  void theBinaryWorks() throws Exception {
    assumeThat(kubectl()).as("kubectl on the path").isNotEmpty();
    server.writeKubeconfig(folder.resolve("config"));
    Path file = Files.writeString(folder.resolve("things.yaml"), THINGS);
    String things = file.toString();
    assertThat(run("apply", "-f", things)).contains("resourceclaim.resource.k8s.io/c1 created");
    assertThat(run("apply", "-f", things)).contains("c1 unchanged");
    Files.writeString(file, THINGS.replace("a: b", "a: c"));
    assertThat(run("apply", "-f", things)).contains("c1 configured");
    assertThat(run("apply", "--server-side", "--force-conflicts", "-f", things))
        .contains("c1 serverside-applied");
    assertThat(run("get", "resourceclaims"))
        .containsPattern("c1 +gpu +WaitForFirstConsumer +pending");
    assertThat(run("get", "resourceclaim", "c1", "-o", "jsonpath={.metadata.labels.a}"))
        .isEqualTo("c");
    assertThat(run("describe", "resourceclaim", "c1")).contains("Resource Class Name:  gpu");
    assertThat(run("api-resources")).contains("podschedulingcontexts");
    assertThat(run("create", "-f", things)).contains("AlreadyExists");
    assertThat(run("delete", "-f", things, "--timeout=60s")).contains("\"c1\" deleted");
    assertThat(run("get", "resourceclaims")).contains("No resources found");
  }

  private static List<String> kubectl() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, "kubectl"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .limit(1)
        .toList();
  }

  private String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(kubectl());
    command.addAll(List.of(arguments));
    File output = folder.resolve("output").toFile();
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output);
    builder
        .environment()
        .putAll(
            Map.of("KUBECONFIG", folder.resolve("config").toString(), "HOME", folder.toString()));
    Process process = builder.start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(String.join(" ", command)).isTrue();
    return Files.readString(output.toPath());
  }
}
