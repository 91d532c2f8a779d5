package io.gpudra.kubeletplugin.app;

import io.gpudra.kubeletplugin.proto.registration.RegistrationGrpc;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.io.IOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
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

  Path registrationSocket() {
    return directory.resolve("k/plugins_registry/gpu.resource.example.com-reg.sock");
  }

  void register() {
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

  static void awaitHealth(PluginProcess process) {
    Awaitility.await("healthy")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> get(process.probePort(), "/healthz").statusCode() == 200);
  }
}
