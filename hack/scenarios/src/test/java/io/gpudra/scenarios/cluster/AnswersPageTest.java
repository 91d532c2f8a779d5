package io.gpudra.scenarios.cluster;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each answer of the page is printed on the cluster of the demo. Run with {@code
 * -Dgolden.update=true} to write the answers that differ anew, whole, then read the difference.
 */
@Tag("process")
class AnswersPageTest {
  static final String PAGE = "docs/user/answers.md";
  private static final String SHOWN = "```\n%s\n```\n\n```text\n%s```\n";
  private static final Pattern EACH_SHOWN =
      Pattern.compile("(?ms)^" + SHOWN.formatted("([^\n]+)", "(.*?)^"));
  private static final String CUT = "...";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NAMESPACE = "gpu-ninth-gpu";
  private static final String EVENTS = "/api/v1/namespaces/" + NAMESPACE + "/events";

  private static final String PARAMETERS =
      "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuclaimparameters/one-gpu"
          .formatted(NAMESPACE);

  /** All that differs from one time to the next. */
  private static final ImmutableMap<String, String> PASSING =
      ImmutableMap.<String, String>builder()
          .put("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "UID")
          .put("-[bcdfghjklmnpqrstvwxz2456789]{5}\\b", "-SUFFIX")
          .put("\\b\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", "TIME")
          .put("\\b\\d+ (s|min|h)\\b|\\b(\\d+m)?\\d+s\\b( \\(x\\d+ over \\w+\\))?", "AGE")
          .put("(Resource Version:\\s+)\\d+", "$1VERSION")
          .put("[ \\t]+", " ")
          .buildOrThrow();

  /** A command, and the answer below it. */
  record Shown(String command, String answer) {
    ImmutableList<String> expected() {
      return plain(answer);
    }

    /** Of an answer that the page cuts, only the lines that the page has. */
    ImmutableList<String> seen(String printed) {
      ImmutableList<String> lines = plain(printed);
      return expected().contains(CUT)
          ? expected().stream()
              .filter(line -> line.equals(CUT) || lines.contains(line))
              .collect(toImmutableList())
          : lines;
    }

    boolean isOfThePlugin() {
      return Pages.ANSWERED.matcher(command).matches();
    }
  }

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ClusterUnderTest.installation().exampleNodes());

  @TempDir static Path home = Path.of("");

  private static Terminal terminal = new Terminal(home);

  @BeforeAll
  static void theNinthGpuIsWaitedFor() throws Exception {
    terminal = Terminal.of(home, cluster.cluster());
    apply("44-ninth-gpu.yaml");
    apply("44-ninth-gpu.eight.yaml");
    cluster.until("it runs", () -> cluster.isPhase(NAMESPACE, "eight", "Running"));
    apply("44-ninth-gpu.ninth.yaml");
    cluster.until("the other one is told", () -> reasons(EVENTS).contains("NoFreeDevice"));
    // The status follows changes of the nodes once a minute.
    cluster.until("all is counted", () -> reasons(PARAMETERS).contains("DevicesExist"));
  }

  private static List<String> reasons(String path) throws IOException, InterruptedException {
    return cluster.client().get(path).findValuesAsText("reason");
  }

  private static void apply(String example) throws Exception {
    cluster.create(Files.readString(Pages.ROOT.resolve("manifests/examples").resolve(example)));
  }

  static ImmutableList<Shown> shown() {
    return EACH_SHOWN
        .matcher(Pages.text(PAGE))
        .results()
        .map(shown -> new Shown(shown.group(1), shown.group(2)))
        .collect(toImmutableList());
  }

  @Test
  void eachCommandHasAnAnswer() throws IOException {
    assertThat(Pages.blocks())
        .filteredOn(block -> block.page().equals(PAGE))
        .hasSize(2 * shown().size())
        .hasSizeGreaterThan(10);
  }

  @ParameterizedTest
  @MethodSource("shown")
  void isPrinted(Shown shown) throws Exception {
    assumeThat(shown.isOfThePlugin() || terminal.hasKubectl()).as("kubectl on the path").isTrue();
    if (Boolean.getBoolean("golden.update")) {
      update(shown, printed(shown));
      return;
    }
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(shown.seen(printed(shown))).isEqualTo(shown.expected()));
  }

  private static String printed(Shown shown) throws IOException, InterruptedException {
    String out = terminal.run(shown.command()).out();
    return out.stripTrailing().replaceAll("(?m)[ \t]+$", "") + "\n";
  }

  private static void update(Shown shown, String printed) throws IOException {
    if (!shown.seen(printed).equals(shown.expected())) {
      String before = SHOWN.formatted(shown.command(), shown.answer());
      String after = SHOWN.formatted(shown.command(), printed);
      Files.writeString(Pages.ROOT.resolve(PAGE), Pages.text(PAGE).replace(before, after));
    }
  }

  private static ImmutableList<String> plain(String text) {
    String plain = text;
    for (Map.Entry<String, String> passing : PASSING.entrySet()) {
      plain = plain.replaceAll(passing.getKey(), passing.getValue());
    }
    return plain.lines().map(String::strip).collect(toImmutableList());
  }
}
