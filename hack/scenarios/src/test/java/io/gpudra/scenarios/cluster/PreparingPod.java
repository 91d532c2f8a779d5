package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A pod whose claim is just being prepared. The plugin is held up by named pipes in the place of
 * its files: who opens one waits for whoever opens its other end.
 */
record PreparingPod(ClusterUnderTest cluster, String namespace, String node, String claimUid) {
  private static final String NAME = "gpu";

  /** Returns when the claim is written down as intended. */
  static PreparingPod blockedAtTheSpecFile(ClusterUnderTest cluster, String namespace, String node)
      throws IOException, InterruptedException {
    cluster.create(Given.namespace(namespace), Given.claim(namespace, NAME, "gpu.example.com"));
    String uid = cluster.claim(namespace, NAME).orElseThrow().at("/metadata/uid").asText();
    PreparingPod pod = new PreparingPod(cluster, namespace, node, uid);
    // A plugin that starts removes what it does not know.
    cluster.until("the plugin serves", pod::isServed);
    makePipe(pod.specFile());
    cluster.create(Given.podWith(namespace, NAME, Given.on(node), NAME));
    cluster.until("the claim is intended", () -> pod.checkpoint().contains(uid));
    return pod;
  }

  void blockAtTheNextCheckpoint() throws IOException, InterruptedException {
    makePipe(nextCheckpoint());
  }

  /** Returns when it is there; the plugin takes the pipe for an empty file and replaces it. */
  void letSpecFileBeWritten() throws IOException {
    Files.newOutputStream(specFile()).close();
    cluster.until("the spec file is there", () -> Files.isRegularFile(specFile()));
    assertThat(cluster.seenBy(namespace, NAME)).isEmpty();
  }

  void unblock() throws IOException {
    Files.delete(nextCheckpoint());
  }

  void losesNothing() throws IOException, InterruptedException {
    cluster.until("the pod runs", () -> cluster.isPhase(namespace, NAME, "Running"));
    assertThat(cluster.seenBy(namespace, NAME))
        .hasSize(1)
        .isEqualTo(cluster.granted(namespace, NAME));
    new Aftermath(cluster, namespace).isClean();
  }

  private boolean isServed() {
    Path socket = disk().kubelet().resolve(Path.of("plugins", Binaries.DRIVER_NAME, "plugin.sock"));
    try (SocketChannel plugin = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return plugin.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private String checkpoint() throws IOException {
    return Files.readString(disk().state().resolve("checkpoint.json"));
  }

  private Path nextCheckpoint() {
    return disk().state().resolve("checkpoint.json.tmp");
  }

  private Path specFile() {
    return disk().cdi().resolve("k8s.%s-claim_%s.json".formatted(Binaries.DRIVER_NAME, claimUid));
  }

  private NodeDirectories disk() {
    return cluster.cluster().directories(node);
  }

  private static void makePipe(Path file) throws IOException, InterruptedException {
    int code = new ProcessBuilder("mkfifo", file.toString()).inheritIO().start().waitFor();
    assertThat(code).as("mkfifo " + file).isZero();
  }
}
