package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.Claim;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.rpc.Kubelet;
import io.gpudra.kubeletplugin.rpc.SocketPaths;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The driver of a node comes after the plugin, or never: what becomes of the kubelet's calls. */
class LateDriverTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeApi api;

  private final Kubelet kubelet = new Kubelet();

  @BeforeEach
  void serveApi() throws IOException {
    api = new FakeApi();
  }

  @AfterEach
  void stop() {
    kubelet.close();
    api.close();
  }

  private Path root() {
    return directory.resolve("node");
  }

  private SocketPaths sockets() throws IOException {
    return SocketPaths.below(directory.resolve("k"), FakeNode.DRIVER);
  }

  private PluginProcess start(String boot) throws IOException {
    PluginOptions options = new PluginOptions();
    Path bootId = Files.writeString(directory.resolve("boot_id"), boot);
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(
            "--node-name=" + FakeNode.NAME,
            "--kubelet-dir=" + directory.resolve("k"),
            "--cdi-root=" + directory.resolve("cdi"),
            "--kubeconfig=" + api.kubeconfig(directory),
            "--boot-id-file=" + bootId,
            "--devices=nvidia",
            "--node-root=" + root(),
            "--probe-port=0",
            "--metrics-port=0");
    return PluginProcess.start(options, "1.2.3", problem -> {});
  }

  private void register() throws IOException {
    var unused =
        kubelet
            .registration(sockets())
            .notifyRegistrationStatus(
                RegistrationStatus.newBuilder().setPluginRegistered(true).build());
  }

  private static HttpResponse<String> get(PluginProcess process, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + process.probePort() + path))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static void await(String what, Callable<Boolean> done) {
    Awaitility.await(what).atMost(LIMIT).until(done);
  }

  private JsonNode status() {
    return api.inventory().path("status");
  }

  private StubDriver install() {
    return Stubs.driver(root(), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
  }

  private static Claim claim(String uid, GrantedDevice device) {
    return Kubelet.claim(GrantFixture.grant(new ClaimUid(uid), FakeNode.NAME, device));
  }

  private String prepare(Claim claim) throws IOException {
    return kubelet
        .v1alpha3(sockets())
        .nodePrepareResources(Kubelet.prepare(claim))
        .getClaimsOrThrow(claim.getUid())
        .getError();
  }

  private String unprepare(Claim claim) throws IOException {
    return kubelet
        .v1alpha3(sockets())
        .nodeUnprepareResources(Kubelet.unprepare(claim))
        .getClaimsOrThrow(claim.getUid())
        .getError();
  }

  private ImmutableList<Path> specs() throws IOException {
    try (var files = Files.list(directory.resolve("cdi"))) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .collect(ImmutableList.toImmutableList());
    }
  }

  @Test
  void aNodeWithoutAGpuIsReadyAndServesOneThatComesWithItsDriver() throws Exception {
    Files.createDirectories(root().resolve("sys/bus/pci/devices"));
    try (PluginProcess process = start("boot-1")) {
      register();
      assertThat(get(process, "/readyz").statusCode()).isEqualTo(200);
      await(
          "told",
          () -> status().path("conditions").path(0).path("reason").asText().equals("Serving"));
      assertThat(status().path("devices")).isEmpty();
      assertThat(prepare(claim("u1", Parts.whole(1)))).contains("has no gpu-1");

      var unused = install();
      await("served", () -> status().path("devices").size() == 2);
      assertThat(prepare(claim("u1", Parts.whole(1)))).isEmpty();
    }
  }

  @Test
  void aBusOfWhichNothingIsKnownIsNoNodeWithoutAGpu() throws Exception {
    Files.createDirectories(root());
    try (PluginProcess process = start("boot-1")) {
      register();
      assertThat(get(process, "/readyz").statusCode()).isEqualTo(503);
      assertThat(get(process, "/readyz").body()).contains("no NVIDIA driver: ");
    }
  }

  @Test
  void aDriverThatHangsKeepsNoKubeletWaiting() throws Exception {
    install().faults("nvmlInitWithFlags * delay 8000");
    try (PluginProcess process = start("boot-1")) {
      register();
      assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(process, "/readyz").body()).contains("the driver does not answer");
      assertThat(prepare(claim("u1", Parts.whole(1)))).contains("the driver does not answer");

      await("it has answered", () -> get(process, "/readyz").statusCode() == 200);
      assertThat(prepare(claim("u1", Parts.whole(1)))).isEmpty();
    }
  }

  @Test
  void whileTheDriverIsAwayTheKubeletIsAnsweredAndTheGpuIsFreeOnlyAfterwards() throws Exception {
    StubDriver driver = install();
    Claim claim = claim("u1", Parts.mig(1, "1g.5gb", 0));
    try (PluginProcess process = start("boot-1")) {
      register();
      assertThat(get(process, "/readyz").statusCode()).isEqualTo(200);
      assertThat(prepare(claim)).isEmpty();
    }
    Path away = Files.move(root().resolve("usr"), root().resolve("away"));

    try (PluginProcess process = start("boot-1")) {
      register();
      assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(process, "/readyz").statusCode()).isEqualTo(503);
      assertThat(get(process, "/readyz").body()).contains("no NVIDIA driver: ");
      await(
          "told",
          () ->
              status()
                  .path("conditions")
                  .path(0)
                  .path("reason")
                  .asText()
                  .equals("GpuDriverNotFound"));
      assertThat(status().path("devices")).as("those of before").hasSize(2);
      assertThat(prepare(claim("u2", Parts.whole(0)))).contains("no NVIDIA driver: ");

      assertThat(unprepare(claim)).isEmpty();
      assertThat(specs()).isEmpty();
      await("it holds its GPU", () -> status().path("preparedClaims").toString().contains("gpu-1"));

      Files.move(away, root().resolve("usr"));
      await("taken back", () -> status().path("preparedClaims").isEmpty());
      await("ready", () -> get(process, "/readyz").statusCode() == 200);
      assertThat(status().path("devices").path(1).path("migDevices")).isEmpty();
      assertThat(prepare(claim("u2", Parts.whole(0)))).isEmpty();
      assertThat(driver.root()).isEqualTo(root());
    }
  }

  @Test
  void afterABootAClaimIsTakenBackWithoutADriver() throws Exception {
    var unused = install();
    Claim claim = claim("u1", Parts.whole(1));
    try (PluginProcess process = start("boot-1")) {
      assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
      assertThat(prepare(claim)).isEmpty();
    }
    Files.move(root().resolve("usr"), root().resolve("away"));

    api.put(
        "/api/v1/nodes/" + FakeNode.NAME,
        "node-uid-1",
        "{\"nodeInfo\":{\"kubeletVersion\":\"v1.30.0\"}}");
    try (PluginProcess process = start("boot-2")) {
      await("open", () -> Files.exists(sockets().registration()));
      assertThat(unprepare(claim)).isEmpty();
      assertThat(specs()).isEmpty();
      await("nothing is held", () -> status().path("preparedClaims").toString().equals("[]"));
      assertThat(get(process, "/readyz").statusCode()).isEqualTo(503);
    }
  }
}
