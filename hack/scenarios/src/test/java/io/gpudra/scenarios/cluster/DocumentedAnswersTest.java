package io.gpudra.scenarios.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each command of the pages that only reads, as it is written there, beside the first example. */
@Tag("process")
class DocumentedAnswersTest {
  private static final String FIRST = "manifests/examples/01-two-pods.yaml";
  private static final List<String> PODS = List.of("pod0", "pod1");

  /** All that these commands need of kubectl: it finds its plugin. */
  private static final String KUBECTL =
      """
      #!/bin/sh
      [ "$1" = gpudra ] && shift && exec controller/target/kubectl-gpudra "$@"
      """;

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @TempDir static Path home = Path.of("");

  @BeforeAll
  static void thePodsOfTheFirstExampleRun() throws Exception {
    Path kubectl = Files.writeString(home.resolve("kubectl"), KUBECTL);
    assertThat(kubectl.toFile().setExecutable(true)).isTrue();
    Files.createDirectory(home.resolve(".kube"));
    Files.copy(cluster.cluster().kubeconfig(), home.resolve(".kube/config"));
    cluster.create(Files.readString(Pages.ROOT.resolve(FIRST)));
    for (String pod : PODS) {
      cluster.until("it runs", () -> cluster.isPhase("gpu-two-pods", pod, "Running"));
    }
  }

  static List<String> commands() throws IOException {
    return Pages.blocks().stream()
        .filter(block -> block.language().isEmpty())
        .flatMap(Pages.Block::commands)
        .filter(command -> Pages.ANSWERED.matcher(command).matches())
        .distinct()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isAnswered(String command) throws Exception {
    ProcessBuilder shell =
        new ProcessBuilder("bash", "-euc", command)
            .directory(Pages.ROOT.toFile())
            .redirectErrorStream(true);
    Map<String, String> environment = shell.environment();
    environment.merge("PATH", home.toString(), (path, ours) -> ours + ":" + path);
    environment.put("HOME", home.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("KUBECONFIG", home.resolve(".kube/config").toString());
    environment.put("XDG_CACHE_HOME", "/dev/null");
    environment.keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process process = shell.start();
    String answer = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(process.waitFor()).as(answer).isIn(0, 1);
    assertThat(answer).isNotBlank().doesNotContain("Exception", "\tat ");
  }
}
