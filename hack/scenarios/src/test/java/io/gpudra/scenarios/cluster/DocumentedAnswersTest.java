package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @TempDir static Path home = Path.of("");

  private static Terminal terminal = new Terminal(home);

  @BeforeAll
  static void thePodsOfTheFirstExampleRun() throws Exception {
    terminal = Terminal.of(home, cluster.cluster());
    cluster.create(Files.readString(Pages.ROOT.resolve(FIRST)));
    for (String pod : PODS) {
      cluster.until("it runs", () -> cluster.isPhase("gpu-two-pods", pod, "Running"));
    }
  }

  static List<String> commands() throws IOException {
    return Pages.blocks().stream()
        .filter(block -> block.language().isEmpty() && !block.page().equals(AnswersPageTest.PAGE))
        .flatMap(Pages.Block::commands)
        .filter(command -> Pages.ANSWERED.matcher(command).matches())
        .distinct()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isAnswered(String command) throws Exception {
    Terminal.Answer answer = terminal.run(command);
    String text = answer.out() + answer.err();

    assertThat(answer.code()).as(text).isIn(0, 1);
    assertThat(text).isNotBlank().doesNotContain("Exception", "\tat ");
  }
}
