package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Closer;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.CheckpointFile;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.Profile;
import io.gpudra.kubeletplugin.device.nvidia.EvictOn;
import io.gpudra.kubeletplugin.proto.registration.RegistrationGrpc;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PluginProcessTest {

  @TempDir Path directory = Path.of("");

  private PluginOptions options(FakeApi api) throws IOException {
    return options(api, 0);
  }

  private PluginOptions options(FakeApi api, int probePort) throws IOException {
    PluginOptions options = new PluginOptions();
    Path bootId = Files.writeString(directory.resolve("boot_id"), "boot-1\n");
    new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("options", mixin(options)))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(
            "--node-name=" + FakeNode.NAME,
            "--kubelet-dir=" + directory.resolve("k"),
            "--cdi-root=" + directory.resolve("cdi"),
            "--kubeconfig=" + api.kubeconfig(directory),
            "--boot-id-file=" + bootId,
            "--devices=fake",
            "--profile=t4",
            "--probe-port=" + probePort,
            "--metrics-port=0");
    return options;
  }

  private static CommandLine.Model.CommandSpec mixin(PluginOptions options) {
    return CommandLine.Model.CommandSpec.forAnnotatedObject(options);
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String readyReason(FakeApi api) {
    return api.inventory().path("status").path("conditions").path(0).path("reason").asText();
  }

  private Path registrationSocket() {
    return directory.resolve("k/plugins_registry/gpu.resource.example.com-reg.sock");
  }

  private void register() {
    Path socket = registrationSocket();
    EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(eventLoop)
            .usePlaintext()
            .build();
    try {
      RegistrationGrpc.newBlockingStub(channel)
          .notifyRegistrationStatus(
              RegistrationStatus.newBuilder().setPluginRegistered(true).build());
    } finally {
      channel.shutdownNow();
      eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
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
      PluginOptions options = options(api);
      options.devices = PluginOptions.Kind.NVIDIA;
      options.nodeRoot = directory.resolve("driver");
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        awaitHealth(process);
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
      PluginOptions options = options(api);
      options.nodeRoot = root;
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        register();
        Awaitility.await("told").until(() -> readyReason(api).equals("RuntimeWithoutCdi"));
        assertThat(get(process.probePort(), "/readyz").body()).contains("enable_cdi", "1.7.22");

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
      PluginOptions options = options(api);
      options.devices = PluginOptions.Kind.NVIDIA;
      options.nodeRoot = directory.resolve("driver");
      options.evictOn = ImmutableList.of(EvictOn.XID);
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        awaitHealth(process);
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

  private static void awaitHealth(PluginProcess process) {
    Awaitility.await("healthy")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> get(process.probePort(), "/healthz").statusCode() == 200);
  }

  @Test
  void isAliveAtOnceReadyWhenRegisteredAndSaysThatItStopped() throws Exception {
    try (FakeApi api = new FakeApi()) {
      try (PluginProcess process = PluginProcess.start(options(api), "1.2.3", problem -> {})) {
        int port = process.probePort();
        assertThat(get(port, "/healthz").statusCode()).isEqualTo(200);
        assertThat(get(port, "/readyz").statusCode()).isEqualTo(503);
        assertThat(get(process.metricsPort(), "/metrics").body())
            .contains("gpudra_plugin_gpus 4.0");
        assertThat(get(port, "/nothing").statusCode()).isEqualTo(404);

        register();
        assertThat(get(port, "/readyz").statusCode()).isEqualTo(200);
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
        PluginProcess first = PluginProcess.start(options(api), "1.2.3", problem -> {})) {
      assertThatThrownBy(() -> PluginProcess.start(options(api), "1.2.3", problem -> {}).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another plugin process");
      awaitHealth(first);
    }
  }

  @Test
  void refusesASecondProcessOfTheSameDriverWithAStateOfItsOwn() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess first = PluginProcess.start(options(api), "1.2.3", problem -> {})) {
      PluginOptions options = options(api);
      options.stateDir = directory.resolve("elsewhere");
      assertThatThrownBy(() -> PluginProcess.start(options, "1.2.3", problem -> {}).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another plugin process serves driver")
          .hasMessageContaining(directory.resolve("k/plugins").toString());
      awaitHealth(first);
    }
  }

  @Test
  void isNotReadyWhileTheStateCannotBeWritten() throws Exception {
    Path state = Files.createDirectories(directory.resolve("state"));
    Files.createSymbolicLink(state.resolve(".probe"), Path.of("/dev/full"));
    try (FakeApi api = new FakeApi()) {
      PluginOptions options = options(api);
      options.stateDir = state;
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        register();
        Awaitility.await("the inventory says so")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> readyReason(api).equals("StateDirectoryUnwritable"));
        assertThat(get(process.probePort(), "/readyz").body()).contains("No space left");
      }
    }
  }

  @Test
  void namesWhatItCannotWriteTo() throws IOException {
    Files.writeString(directory.resolve("cdi"), "a file where a directory belongs");
    try (FakeApi api = new FakeApi()) {
      assertThatThrownBy(() -> PluginProcess.start(options(api), "1.2.3", problem -> {}).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(directory.resolve("cdi").toString())
          .hasMessageContaining("not writable");
    }
  }

  @Test
  void servesWithoutAnApiServer() throws Exception {
    PluginOptions options;
    try (FakeApi api = new FakeApi()) {
      options = options(api);
    }
    try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
      assertThat(get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
    }
  }

  // ---- after a boot

  private static final String CLAIM =
      "/apis/resource.k8s.io/v1alpha2/namespaces/team-a/resourceclaims/gpu";

  /**
   * A kubelet of this version, and a claim that was prepared before the boot and is still in use.
   */
  private PluginOptions bootedWith(FakeApi api, String version) throws IOException {
    PluginOptions options = options(api);
    Gpu gpu = new FakeDevices(Profile.parse("t4"), FakeNode.NAME).gpus().get(0);
    ClaimUid uid = new ClaimUid("u1");
    ImmutableList<GrantedDevice> devices =
        ImmutableList.of(new GrantedDevice(gpu.name(), gpu.uuid()));
    Grant grant = new Grant(uid, FakeNode.NAME, 1, OptionalLong.empty(), Instant.EPOCH, devices);
    Files.createDirectories(options.stateDirOrDefault());
    new CheckpointFile(options.stateDirOrDefault().resolve("checkpoint.json"))
        .save(
            new Checkpoint(
                "boot-0",
                ImmutableMap.of(
                    uid, new Entry(Phase.PREPARED, new ClaimRef("team-a", "gpu"), grant)),
                ImmutableList.of()));
    api.put(
        "/api/v1/nodes/" + FakeNode.NAME,
        "node-uid-1",
        "{\"nodeInfo\":{\"kubeletVersion\":\"%s\"}}".formatted(version));
    String handle = HandleCodec.encode(grant).replace("\"", "\\\"");
    api.put(
        CLAIM,
        "u1",
        """
        {"driverName":"%s","allocation":{"resourceHandles":[{"data":"%s"}]},"reservedFor":[{"uid":"p"}]}
        """
            .formatted(FakeNode.DRIVER, handle));
    return options;
  }

  private static String prepared(FakeApi api) {
    return api.inventory().path("status").path("preparedClaims").toString();
  }

  private void awaitOpen() {
    Awaitility.await("the kubelet hears of the plugin")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(registrationSocket()));
  }

  @Test
  void anOldKubeletHearsOfThePluginOnlyWhenWhatItMayUseIsBack() throws Exception {
    try (FakeApi api = new FakeApi()) {
      PluginOptions options = bootedWith(api, "v1.27.4");
      api.failNext(Integer.MAX_VALUE);
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        Awaitility.await("it asks for its node more than once")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> api.requests.stream().filter(r -> r.contains("/nodes/")).count() > 1);
        assertThat(registrationSocket()).doesNotExist();
        assertThat(get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
        assertThat(get(process.probePort(), "/readyz").statusCode()).isEqualTo(503);

        api.failNext(0);
        awaitOpen();
        assertThat(directory.resolve("cdi").resolve("k8s.gpu.resource.example.com-claim_u1.json"))
            .exists();
        Awaitility.await("the inventory lists it with its GPU")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> prepared(api).contains("\"devices\":[\"gpu-0\"]"));
      }
    }
  }

  @Test
  void aKubeletThatAsksAgainIsWaitedFor() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess process =
            PluginProcess.start(bootedWith(api, "v1.28.0"), "1.2.3", problem -> {})) {
      awaitOpen();
      Awaitility.await("its names are free")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> prepared(api).equals("[]"));
      assertThat(api.requests).noneMatch(request -> request.endsWith(CLAIM));
      assertThat(directory.resolve("cdi")).isEmptyDirectory();
      assertThat(get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void probesAreAnsweredBesideThreeHundredClientsOfEachPortThatSendAByte() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess process = PluginProcess.start(options(api), "1.2.3", problem -> {});
        Closer slow = Closer.create()) {
      for (int i = 0; i < 300; i++) {
        slow.register(sendingAByte(process.probePort()));
        slow.register(sendingAByte(process.metricsPort()));
      }

      assertThat(get(process.probePort(), "/readyz").statusCode()).isEqualTo(503);
    }
  }

  private static Socket sendingAByte(int port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.getOutputStream().write('G');
    return client;
  }
}
