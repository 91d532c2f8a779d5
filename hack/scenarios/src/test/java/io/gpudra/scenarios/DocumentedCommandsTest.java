package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pages promise nothing that no script and no test runs. */
class DocumentedCommandsTest {
  private static final List<String> SCRIPTS =
      List.of(".ci/run", ".ci/real", "hack/full", "hack/e2e", "hack/chart/lifecycle");

  /** What a script adds to a command: how long it took, how quiet it is, where the root is. */
  private static final ImmutableMap<String, String> ADDED =
      ImmutableMap.<String, String>builder()
          .put("^\\s*(?:\\w+\\) )?(?:[A-Z]+=\\S+ )*(?:(?:timed|briefly|may_skip|retry) )*", "")
          .put("^until_it_says \"[^\"]*\" ", "")
          .put(" ;;$| > /dev/null$", "")
          .put(" (?:--batch-mode|--no-transfer-progress|-q|-B|-Dstyle.color=never)\\b", "")
          .put(" -D(?:nvidia.required|spotless.check.skip|checkstyle.skip)=true", "")
          .put(" --audit-log \\S+", "")
          .put("\"\\$root/([^\"]*)\"", "$1")
          .put("^(?:\"\\$kubectl\"|hack/cluster/kubectl) ", "kubectl ")
          .put("^hack/chart/helm ", "helm ")
          .buildOrThrow();

  /** {@code hack/chart/test} makes the objects of each of these. */
  private static final Pattern MADE =
      Pattern.compile("helm (?:install|upgrade) .*|kubectl apply -k \\S+");

  /** Pages with a test that runs all their commands. */
  private static final ImmutableMap<String, String> TYPED =
      ImmutableMap.of(
          "docs/operate/moving.md", "real/MovingTest",
          "docs/operate/later-kubernetes.md", "real/UpgradingTest",
          "docs/user/answers.md", "cluster/AnswersPageTest");

  @Test
  void everyCommandIsRunByAScriptOrATest() throws IOException {
    ImmutableSet<String> run = run();
    List<String> commands =
        Pages.blocks().stream()
            .filter(block -> block.language().isEmpty() && !TYPED.containsKey(block.page()))
            .flatMap(Pages.Block::commands)
            .map(DocumentedCommandsTest::plain)
            .toList();

    assertThat(commands).hasSizeGreaterThan(30);
    assertThat(commands)
        .filteredOn(command -> !Pages.ANSWERED.matcher(command).matches())
        .filteredOn(command -> !MADE.matcher(command).matches())
        .allMatch(run::contains);
  }

  private static ImmutableSet<String> run() {
    return SCRIPTS.stream()
        .flatMap(script -> Pages.text(script).replaceAll("\\\\\\n\\s*", "").lines())
        .map(DocumentedCommandsTest::plain)
        .collect(toImmutableSet());
  }

  private static String plain(String line) {
    String plain = line;
    for (Map.Entry<String, String> added : ADDED.entrySet()) {
      plain = plain.replaceAll(added.getKey(), added.getValue());
    }
    return plain.strip();
  }

  @Test
  void everyBlockIsOfALanguageThatATestReads() throws IOException {
    assertThat(Pages.blocks())
        .allMatch(block -> List.of("", "yaml", "text").contains(block.language()));
  }

  @Test
  void aPageWithATestOfItsOwnIsReadByIt() {
    String tests = "hack/scenarios/src/test/java/io/gpudra/scenarios/";

    assertThat(TYPED)
        .allSatisfy(
            (page, test) ->
                assertThat(Pages.text(tests + test + ".java")).contains('"' + page + '"'));
  }
}
