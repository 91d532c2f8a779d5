package io.gpudra.kubeletplugin.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.rpc.Kubelet;
import io.gpudra.kubeletplugin.rpc.SocketPaths;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import picocli.CommandLine;

/**
 * Options of a plugin's process with fake GPUs and all its files below a directory of the test, and
 * the kubelet's part.
 */
record ProcessSetup(Path directory) {

  PluginOptions options(FakeApi api) throws IOException {
    return options(api, 0);
  }

  PluginOptions options(FakeApi api, int probePort) throws IOException {
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

  static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  SocketPaths sockets() {
    return SocketPaths.below(directory.resolve("k"), FakeNode.DRIVER);
  }

  void register() {
    try (Kubelet kubelet = new Kubelet()) {
      kubelet
          .registration(sockets())
          .notifyRegistrationStatus(
              RegistrationStatus.newBuilder().setPluginRegistered(true).build());
    }
  }

  /** Of the claim u1: the first GPU. */
  static Grant grant() {
    Gpu gpu = new FakeDevices(FakeNodeProfile.parse("t4"), FakeNode.NAME).gpus().get(0);
    ImmutableList<GrantedDevice> devices =
        ImmutableList.of(new GrantedDevice(gpu.name(), gpu.uuid()));
    return GrantFixture.grant(new ClaimUid("u1"), FakeNode.NAME, devices);
  }

  /** The CDI file of the claim u1. */
  Path specFile() {
    return directory.resolve("cdi/k8s.gpu.resource.example.com-claim_u1.json");
  }

  static void awaitHealth(PluginProcess process) {
    Awaitility.await("healthy")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> get(process.probePort(), "/healthz").statusCode() == 200);
  }
}
