package io.gpudra.scenarios.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ScenarioTest {
  private static final Path EXAMPLES = Path.of("../../manifests/examples");
  private static final Path DOCUMENTS = Path.of("documents");

  private final Path directory;

  ScenarioTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void stepsAreReadInTheirOrder() throws IOException {
    Scenario scenario =
        scenario(
            """
            about: x
            namespace: n
            steps:
              - apply: a.yaml
              - expect:
                  containers:
                    pod0/ctr0: {gpus: 2}
                  same: [[pod0/ctr0, pod1/ctr0]]
              - delete: a.yaml
            """);
    assertThat(scenario.name()).isEqualTo("03-some");
    assertThat(scenario.steps())
        .hasSize(3)
        .startsWith(new Step.Apply("a.yaml"))
        .endsWith(new Step.Delete("a.yaml"));
    assertThat(((Step.Expect) scenario.steps().get(1)).expectation().same())
        .containsExactly(ImmutableList.of("pod0/ctr0", "pod1/ctr0"));
  }

  @Test
  void aMisspeltWordIsRefusedWithTheFileAndTheWord() {
    assertThatThrownBy(
            () ->
                scenario(
                    """
                    about: x
                    namespace: n
                    steps: [{expect: {containers: {pod0/ctr0: {gpu: 2}}}}]
                    """))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("03-some.expect.yaml")
        .hasMessageContaining("\"gpu\"");
  }

  @Test
  void aStepThatSaysTwoThingsIsRefused() {
    assertThatThrownBy(() -> scenario("{about: x, namespace: n, steps: [{apply: a, delete: b}]}"))
        .hasMessageContaining("a step is one of apply, delete, expect");
  }

  @ParameterizedTest
  @CsvSource({"27, 1", "28, 2", "30, 2"})
  void whatAnOlderKubernetesDoesNotDoIsNotLookedFor(int minor, int looks)
      throws IOException, InterruptedException {
    Scenario scenario =
        scenario(
            """
            about: x
            namespace: n
            steps:
              - expect: {claims: {gpu: {allocated: true}}}
              - expect: {claims: {gpu: {allocated: false}}}
                since: "1.28"
            """);
    Server server = new Server(minor, new ArrayList<>());
    for (Step step : scenario.steps()) {
      step.doneBy(server);
    }
    assertThat(server.lookedFor()).hasSize(looks);
  }

  private record Server(int minorVersion, List<Expectation> lookedFor) implements Step.Stage {
    @Override
    public void apply(String file) {}

    @Override
    public void delete(String file) {}

    @Override
    public void expect(Expectation expectation) {
      lookedFor.add(expectation);
    }
  }

  @Test
  void aVersionThatIsNoneIsRefusedAndOneForAnotherStepToo() {
    assertThatThrownBy(
            () -> scenario("{about: x, namespace: n, steps: [{expect: {}, since: 1.x}]}"))
        .hasMessageContaining("since: \"1.x\" is no version such as \"1.28\"");
    assertThatThrownBy(
            () -> scenario("{about: x, namespace: n, steps: [{apply: a, since: '1.28'}]}"))
        .hasMessageContaining("since is for expect");
  }

  @Test
  void aScenarioWithoutStepsIsRefused() {
    assertThatThrownBy(() -> scenario("{about: x, namespace: n}"))
        .hasMessageContaining("steps are required");
  }

  @Test
  void aScenarioIsFoundWithAndWithoutItsNumber() throws IOException {
    Scenario scenario = scenario("{about: x, namespace: n, steps: [{apply: a}]}");
    assertThat(scenario.isNamed("some")).isTrue();
    assertThat(scenario.isNamed("03-some")).isTrue();
    assertThat(scenario.isNamed("so")).isFalse();
  }

  @Test
  void aScenarioSaysWhenAndWhereItRuns() throws IOException {
    Scenario.Kind plain = scenario("{about: x, namespace: n, steps: [{apply: a}]}").kind();
    assertThat(plain).isEqualTo(new Scenario.Kind(false, false, Optional.empty()));
    Scenario.Kind other =
        scenario("{about: x, namespace: n, tour: true, alone: true, needs: y, steps: [{apply: a}]}")
            .kind();
    assertThat(other).isEqualTo(new Scenario.Kind(true, true, Optional.of("y")));
  }

  @Test
  void everyExampleCanBeReadAndNamesManifestsThatExist() throws IOException {
    ImmutableList<Scenario> examples =
        ImmutableList.<Scenario>builder()
            .addAll(Scenario.all(EXAMPLES))
            .addAll(Scenario.all(DOCUMENTS))
            .build();
    assertThat(examples).hasSizeGreaterThanOrEqualTo(47);
    for (Scenario example : examples) {
      for (Step step : example.steps()) {
        if (step instanceof Step.Apply apply) {
          assertThat(example.directory().resolve(apply.file())).exists();
        } else if (step instanceof Step.Delete delete) {
          assertThat(example.directory().resolve(delete.file())).exists();
        }
      }
    }
  }

  @Test
  void noTwoExamplesHaveOneNamespaceAtATime() throws IOException {
    ImmutableList<Scenario> examples =
        ImmutableList.<Scenario>builder()
            .addAll(Scenario.all(EXAMPLES))
            .addAll(Scenario.all(DOCUMENTS))
            .build();
    assertThat(examples.stream().filter(example -> !example.kind().alone()))
        .extracting(Scenario::namespace)
        .doesNotHaveDuplicates()
        .doesNotContain("default");
  }

  private Scenario scenario(String text) throws IOException {
    Path file = directory.resolve("03-some.expect.yaml");
    Files.writeString(file, text);
    return Scenario.read(file);
  }
}
