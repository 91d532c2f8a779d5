package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.sun.net.httpserver.HttpServer;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class RealNodesTest {
  private final HttpServer server;
  private final RealNodes nodes;

  RealNodesTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    nodes = new RealNodes(new ClusterClient(address), new Commands(ImmutableList.of("echo")));
  }

  @BeforeEach
  void start() {
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aContainerSawWhatItPrinted() throws Exception {
    answer("/api/v1/namespaces/ns/pods/pod0/log", 200, "GPU_DEVICE_1=gpu-3\nPATH=/bin\n");
    assertThat(nodes.environment("ns", "pod0", "ctr0"))
        .contains(Map.of("GPU_DEVICE_1", "gpu-3", "PATH", "/bin"));
  }

  @Test
  void aContainerThatHasNotPrintedEverythingSawNothingYet() throws Exception {
    answer("/api/v1/namespaces/ns/pods/pod0/log", 200, "GPU_DEVICE_1=gpu-3\n");
    assertThat(nodes.environment("ns", "pod0", "ctr0")).isEmpty();
  }

  @Test
  void neitherDidOneThatHasNotStarted() throws Exception {
    answer("/api/v1/namespaces/ns/pods/pod0/log", 400, "{\"message\": \"is waiting to start\"}");
    assertThat(nodes.environment("ns", "pod0", "ctr0")).isEmpty();
  }

  @Test
  void cdiFilesAreAskedOfEachNode() throws Exception {
    answer("/api/v1/nodes", 200, "{\"items\": [{\"metadata\": {\"name\": \"node1\"}}]}");
    RealNodes listing =
        new RealNodes(
            nodes.cluster(),
            new Commands(ImmutableList.of("sh", "-c", "echo $2-a.json; echo notes.txt", "-")));
    assertThat(listing.cdiFiles()).containsExactly("node1:node1-a.json");
  }

  @Test
  void aCommandThatFailsSaysSoWithItsOutput() {
    Commands failing = new Commands(ImmutableList.of("sh", "-c", "echo no such node >&2; exit 3"));
    assertThatThrownBy(() -> failing.output(ImmutableList.of("exec")))
        .hasMessageContaining("ended with 3: no such node");
  }

  private void answer(String path, int code, String body) {
    server.createContext(
        path,
        exchange -> {
          byte[] bytes = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(code, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }
}
