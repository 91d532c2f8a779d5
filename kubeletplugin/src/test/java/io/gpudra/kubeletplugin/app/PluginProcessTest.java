package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Closer;
import io.gpudra.kubeletplugin.device.nvidia.EvictionTrigger;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.Claim;
import io.gpudra.kubeletplugin.rpc.Kubelet;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginProcessTest {

  @TempDir Path directory = Path.of("");

  private static String readyReason(FakeApi api) {
    return api.inventory().path("status").path("conditions").path(0).path("reason").asText();
  }

  @ParameterizedTest(name = "node told at once: {0}")
  @ValueSource(booleans = {true, false})
  void nobodyHearsOfGpusThatADevicePluginHandsOutBeforeTheyAreTainted(boolean atOnce)
      throws Exception {
    Stubs.driver(directory.resolve("driver"), StubDriver.NEWEST, Parts.gpus(2), ImmutableList.of());
    try (FakeApi api = new FakeApi()) {
      String node = "/api/v1/nodes/" + FakeNode.NAME;
      String allocatable = "{\"allocatable\":{\"nvidia.com/gpu\":\"2\"}}";
      api.put(FakeApi.INVENTORIES + "/" + FakeNode.NAME, "inventory-uid-1");
      if (atOnce) {
        api.put(node, "node-uid-1", allocatable);
      } else {
        api.remove(node);
      }
      PluginOptions options = new ProcessSetup(directory).options(api);
      options.devices = PluginOptions.Kind.NVIDIA;
      options.nodeRoot = directory.resolve("driver");
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        ProcessSetup.awaitHealth(process);
        Awaitility.await("it asks for its node more than twice")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> atOnce || api.requests.stream().filter(r -> r.endsWith(node)).count() > 2);
        api.put(node, "node-uid-1", allocatable);
        Awaitility.await("published")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> !api.applied.isEmpty());
        assertThat(api.applied)
            .allSatisfy(status -> assertThat(status.path("gpusTainted").asInt()).isEqualTo(2));
      }
    }
  }

  @Test
  void aNodeWhoseContainerRuntimeReadsNoCdiFilesIsNotReady() throws Exception {
    Path root = directory.resolve("node");
    Files.createDirectories(root.resolve("etc/containerd"));
    Path config = Files.writeString(root.resolve("etc/containerd/config.toml"), "version = 2");
    try (FakeApi api = new FakeApi()) {
      api.put(
          "/api/v1/nodes/" + FakeNode.NAME,
          "node-uid-1",
          "{\"nodeInfo\":{\"containerRuntimeVersion\":\"containerd://1.7.22\"}}");
      PluginOptions options = new ProcessSetup(directory).options(api);
      options.nodeRoot = root;
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        new ProcessSetup(directory).register();
        Awaitility.await("told").until(() -> readyReason(api).equals("RuntimeWithoutCdi"));
        assertThat(ProcessSetup.get(process.probePort(), "/readyz").body())
            .contains("enable_cdi", "1.7.22");

        Files.writeString(config, "enable_cdi = true");
        Awaitility.await("mended")
            .atMost(30, TimeUnit.SECONDS)
            .until(() -> readyReason(api).equals("Serving"));
      }
    }
  }

  @Test
  void podsLeaveAGpuForAnErrorThatABootMendsAndStayForOneOfAnApplication() throws Exception {
    StubDriver driver =
        Stubs.driver(
            directory.resolve("driver"), StubDriver.NEWEST, Parts.gpus(2), ImmutableList.of());
    try (FakeApi api = new FakeApi()) {
      PluginOptions options = new ProcessSetup(directory).options(api);
      options.devices = PluginOptions.Kind.NVIDIA;
      options.nodeRoot = directory.resolve("driver");
      options.evictOn = ImmutableList.of(EvictionTrigger.XID);
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        ProcessSetup.awaitHealth(process);
        Awaitility.await("until it listens nobody hears")
            .atMost(60, TimeUnit.SECONDS)
            .until(
                () -> {
                  driver.tell("GPU-0", 8, 13);
                  driver.tell("GPU-1", 8, 79);
                  return taints(api, 1).contains("\"effect\":\"NoExecute\"");
                });
        assertThat(taints(api, 1)).contains("gpu.resource.example.com/xid", "fell off the bus");
        assertThat(taints(api, 0)).isEmpty();
      }
    }
  }

  private static String taints(FakeApi api, int gpu) {
    return api.inventory().path("status").path("devices").path(gpu).path("taints").toString();
  }

  @Test
  void isAliveAtOnceReadyWhenRegisteredAndSaysThatItStopped() throws Exception {
    try (FakeApi api = new FakeApi()) {
      try (PluginProcess process =
          PluginProcess.start(new ProcessSetup(directory).options(api), "1.2.3", problem -> {})) {
        int port = process.probePort();
        assertThat(ProcessSetup.get(port, "/healthz").statusCode()).isEqualTo(200);
        assertThat(ProcessSetup.get(port, "/readyz").statusCode()).isEqualTo(503);
        assertThat(ProcessSetup.get(process.metricsPort(), "/metrics").body())
            .contains("gpudra_plugin_gpus 4.0");
        assertThat(ProcessSetup.get(port, "/nothing").statusCode()).isEqualTo(404);

        new ProcessSetup(directory).register();
        assertThat(ProcessSetup.get(port, "/readyz").statusCode()).isEqualTo(200);
        Awaitility.await("the inventory says so")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> readyReason(api).equals("Serving"));
      }

      assertThat(readyReason(api)).isEqualTo("Stopped");
      assertThat(directory.resolve("k/plugins_registry")).isEmptyDirectory();
    }
  }

  @Test
  void refusesASecondProcessOnTheSameState() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess first =
            PluginProcess.start(new ProcessSetup(directory).options(api), "1.2.3", problem -> {})) {
      assertThatThrownBy(
              () ->
                  PluginProcess.start(
                          new ProcessSetup(directory).options(api), "1.2.3", problem -> {})
                      .close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another plugin process");
      ProcessSetup.awaitHealth(first);
    }
  }

  @Test
  void refusesASecondProcessOfTheSameDriverWithAStateOfItsOwn() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess first =
            PluginProcess.start(new ProcessSetup(directory).options(api), "1.2.3", problem -> {})) {
      PluginOptions options = new ProcessSetup(directory).options(api);
      options.stateDir = directory.resolve("elsewhere");
      assertThatThrownBy(() -> PluginProcess.start(options, "1.2.3", problem -> {}).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another plugin process serves driver")
          .hasMessageContaining(directory.resolve("k/plugins").toString());
      ProcessSetup.awaitHealth(first);
    }
  }

  @Test
  void isNotReadyWhileTheStateCannotBeWritten() throws Exception {
    Path state = Files.createDirectories(directory.resolve("state"));
    Files.createSymbolicLink(state.resolve(".probe"), Path.of("/dev/full"));
    try (FakeApi api = new FakeApi()) {
      PluginOptions options = new ProcessSetup(directory).options(api);
      options.stateDir = state;
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        new ProcessSetup(directory).register();
        Awaitility.await("the inventory says so")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> readyReason(api).equals("StateDirectoryUnwritable"));
        assertThat(ProcessSetup.get(process.probePort(), "/readyz").body())
            .contains("No space left");
      }
    }
  }

  @Test
  void namesWhatItCannotWriteTo() throws IOException {
    Files.writeString(directory.resolve("cdi"), "a file where a directory belongs");
    try (FakeApi api = new FakeApi()) {
      assertThatThrownBy(
              () ->
                  PluginProcess.start(
                          new ProcessSetup(directory).options(api), "1.2.3", problem -> {})
                      .close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(directory.resolve("cdi").toString())
          .hasMessageContaining("not writable");
    }
  }

  @Test
  void servesWithoutAnApiServer() throws Exception {
    ProcessSetup setup = new ProcessSetup(directory);
    PluginOptions options;
    try (FakeApi api = new FakeApi()) {
      options = setup.options(api);
    }
    try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {});
        Kubelet kubelet = new Kubelet()) {
      assertThat(ProcessSetup.get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
      var node = kubelet.v1alpha3(setup.sockets());
      Claim claim = Kubelet.claim(ProcessSetup.grant());

      var prepared = node.nodePrepareResources(Kubelet.prepare(claim));

      assertThat(prepared.getClaimsOrThrow("u1").getError()).isEmpty();
      assertThat(prepared.getClaimsOrThrow("u1").getCdiDevicesList())
          .containsExactly("k8s.gpu.resource.example.com/claim=claim-u1");
      assertThat(setup.specFile()).content().contains("GPU_DEVICE_0=gpu-0");

      var unprepared = node.nodeUnprepareResources(Kubelet.unprepare(claim));

      assertThat(unprepared.getClaimsOrThrow("u1").getError()).isEmpty();
      assertThat(setup.specFile()).doesNotExist();
    }
  }

  @Test
  void probesAreAnsweredBesideThreeHundredClientsOfEachPortThatSendAByte() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess process =
            PluginProcess.start(new ProcessSetup(directory).options(api), "1.2.3", problem -> {});
        Closer slow = Closer.create()) {
      for (int i = 0; i < 300; i++) {
        slow.register(sendingAByte(process.probePort()));
        slow.register(sendingAByte(process.metricsPort()));
      }

      assertThat(ProcessSetup.get(process.probePort(), "/readyz").statusCode()).isEqualTo(503);
    }
  }

  private static Socket sendingAByte(int port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.getOutputStream().write('G');
    return client;
  }
}
