package io.gpudra.controller.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.sun.management.ThreadMXBean;
import com.sun.net.httpserver.HttpServer;
import io.gpudra.controller.client.HttpClients;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of a pod that is read, its node is kept and nothing else. */
class KubeNodesOfPodsTest {
  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final HttpClients http;
  private final KubeNodesOfPods nodes;

  KubeNodesOfPodsTest() throws IOException {
    server.start();
    http =
        HttpClients.plain(
            "http://127.0.0.1:" + server.getAddress().getPort(),
            Duration.ofSeconds(60),
            new MetricRegistry());
    nodes = new KubeNodesOfPods(http);
  }

  @AfterEach
  void close() {
    http.close();
    server.stop(0);
  }

  private void serve(String pod, int code, String object) {
    byte[] body = object.replace('\'', '"').getBytes(UTF_8);
    server.createContext(
        "/api/v1/namespaces/gpudra/pods/" + pod,
        exchange -> {
          exchange.sendResponseHeaders(code, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  private Optional<String> nodeOf(String pod) throws IOException {
    return nodes.nodeOf("gpudra", pod, "uid-1");
  }

  @Test
  void aPodIsThatOfTheUid() throws IOException {
    serve("here", 200, "{'metadata': {'uid': 'uid-1'}, 'spec': {'nodeName': 'worker-1'}}");
    serve("another", 200, "{'metadata': {'uid': 'uid-2'}, 'spec': {'nodeName': 'worker-1'}}");
    serve("pending", 200, "{'metadata': {'uid': 'uid-1'}, 'spec': {}}");
    serve("broken", 500, "{}");

    assertThat(nodeOf("here")).hasValue("worker-1");
    assertThat(nodeOf("another")).isEmpty();
    assertThat(nodeOf("pending")).isEmpty();
    assertThat(nodeOf("absent")).isEmpty();
    assertThatThrownBy(() -> nodeOf("broken")).isInstanceOf(IOException.class);
  }

  @Test
  void aPodOfMegabytesIsNotInMemory() throws IOException {
    String pod =
        "{'metadata': {'uid': 'uid-1', 'annotations': {'a': '%s'}}, 'spec': {'nodeName': 'worker-1'}}";
    serve("small", 200, pod.formatted(""));
    serve("large", 200, pod.formatted("x".repeat(8 << 20)));
    assertThat(nodeOf("small")).hasValue("worker-1");
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = thread.getCurrentThreadAllocatedBytes();
    assertThat(nodeOf("large")).hasValue("worker-1");

    assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(2 << 20);
  }
}
