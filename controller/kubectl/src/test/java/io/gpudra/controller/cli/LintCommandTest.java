package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command on files, directories and the standard input. */
class LintCommandTest {

  private static final String RIGHT =
      """
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuClaimParameters
      metadata: {name: x}
      spec: {count: 2}
      """;

  private static final String WRONG = RIGHT.replace("count", "cuont");

  private static final String TOLD =
      ":4:8: GpuClaimParameters x: strict decoding error: unknown field \"spec.cuont\", did you"
          + " mean \"count\"?";

  private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String in = "";

  @BeforeEach
  void start(@TempDir Path temporary) {
    directory = temporary;
  }

  private int lint(String... options) {
    CommandLine command = GpudraCommand.command();
    LintCommand lint = requireNonNull(command.getSubcommands().get("lint")).getCommand();
    lint.readFrom(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)));
    return command
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(Stream.concat(Stream.of("lint"), Stream.of(options)).toArray(String[]::new));
  }

  private String file(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text).toString();
  }

  @Test
  void aFileWithNothingWrongEndsWith0() throws IOException {
    assertThat(lint("-f", file("a.yaml", RIGHT))).isEqualTo(0);
    assertThat(out).hasToString("nothing wrong; checked 1 object in 1 file\n");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aFindingHasItsPlaceAndEndsWith1() throws IOException {
    String file = file("a.yaml", WRONG);

    assertThat(lint("-f", file)).isEqualTo(1);
    assertThat(out).hasToString(file + TOLD + "\n1 finding; checked 1 object in 1 file\n");
  }

  @Test
  void aFileThatCannotBeReadEndsWith2AndTheOthersAreLookedAt() throws IOException {
    String missing = directory.resolve("missing.yaml").toString();

    assertThat(lint("-f", missing, "-f", file("a.yaml", WRONG))).isEqualTo(2);
    assertThat(err).hasToString("not read " + missing + ": no such file\n");
    assertThat(out.toString()).contains(TOLD);
  }

  @Test
  void theStandardInputIsReadToo() {
    in = WRONG;

    assertThat(lint("-f", "-")).isEqualTo(1);
    assertThat(out.toString()).startsWith("stdin" + TOLD);
  }

  @Test
  void ofADirectoryYamlAndJsonAreReadAllTheWayDown() throws IOException {
    file("b/c/one.yml", WRONG);
    file("b/two.yaml", WRONG);
    file("b/three.json", "{\"apiVersion\": \"gpu.resource.example.com/v1\"}");
    file("b/kustomization.yaml", "kind: Kustomization\nresources: [a.yaml]");
    file("b/notes.txt", "{{{");
    Files.createSymbolicLink(directory.resolve("b/circle"), directory.resolve("b"));

    assertThat(lint("-f", directory.toString())).isEqualTo(1);
    assertThat(out.toString().lines())
        .hasSize(4)
        .last()
        .isEqualTo("3 findings; checked 3 objects in 4 files");
  }

  @Test
  void anObjectOfALaterApiIsNamedAndCounted() throws IOException {
    String file =
        file(
            "a.yaml",
            """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu.nvidia.com}
            """);

    assertThat(lint("-f", file)).isEqualTo(1);
    assertThat(out)
        .hasToString(
            file
                + ":1:1: DeviceClass gpu.nvidia.com: apiVersion: Unsupported value:"
                + " \"resource.k8s.io/v1\": this API begins with Kubernetes 1.34; the driver is for"
                + " \"resource.k8s.io/v1alpha2\" of Kubernetes 1.27 to 1.30, where a ResourceClass"
                + " is in its place; kubectl gpudra convert translates it\n"
                + "1 finding; checked 1 object in 1 file\n");
  }

  @Test
  void templatesOfAChartAreSkippedAndNamed() throws IOException {
    file("chart/Chart.yaml", "name: x");
    String template = file("chart/templates/deep/a.yaml", "{{ if }}\nkind: {{ .x }}");

    assertThat(lint("-f", directory.toString())).isEqualTo(0);
    assertThat(err)
        .hasToString(
            "skipped " + template + ": a template of Helm; check the output of helm template\n");
  }

  @Test
  void whatLooksLikeATemplateElsewhereSaysSo() throws IOException {
    assertThat(lint("-f", file("a.yaml", "{{ if }}\nkind: {{ .x }}"))).isEqualTo(1);
    assertThat(out.toString())
        .contains("not valid YAML: ")
        .contains("if it is a template of Helm, check the output of helm template");
  }

  @Test
  void jsonSaysTheSame() throws IOException {
    String file = file("a.yaml", WRONG);
    String missing = directory.resolve("missing.yaml").toString();

    assertThat(lint("-f", file, "-f", missing, "-o", "json")).isEqualTo(2);
    JsonNode json = new JsonMapper().readTree(out.toString());
    assertThat(json.at("/findings/0/file").asText()).isEqualTo(file);
    assertThat(json.at("/findings/0/line").asInt()).isEqualTo(4);
    assertThat(json.at("/findings/0/column").asInt()).isEqualTo(8);
    assertThat(json.at("/findings/0/kind").asText()).isEqualTo("GpuClaimParameters");
    assertThat(json.at("/findings/0/name").asText()).isEqualTo("x");
    assertThat(json.at("/findings/0/path").asText()).isEqualTo("spec.cuont");
    assertThat(json.at("/unread/0/why").asText()).isEqualTo("no such file");
  }

  @Test
  void aFileOf3MebibytesIsLookedAtAndALargerOneIsNot() throws IOException {
    String padding = "#".repeat(ManifestSources.MAX_BYTES - WRONG.length());

    assertThat(lint("-f", file("a.yaml", WRONG + padding))).isEqualTo(1);
    assertThat(lint("-f", file("b.yaml", WRONG + padding + "#"))).isEqualTo(2);
    assertThat(err.toString()).contains("larger than 3145728 bytes");
  }

  @Test
  void manyObjectsIn3MebibytesHaveFindingsThatAreCounted() throws IOException {
    String many = ("---\n" + WRONG).repeat(4_000);

    assertThat(lint("-f", file("a.yaml", many))).isEqualTo(1);
    assertThat(out.toString().lines().skip(100))
        .containsExactly(
            directory.resolve("a.yaml") + ": and 3900 more",
            "4000 findings; checked 4000 objects in 1 file");
  }

  @Test
  void whatIsNoUtf8IsNotRead() throws IOException {
    Path file = Files.write(directory.resolve("a.yaml"), new byte[] {'a', (byte) 0xC3});

    assertThat(lint("-f", file.toString())).isEqualTo(2);
    assertThat(err).hasToString("not read " + file + ": no UTF-8 text\n");
  }

  @Test
  void noTextOfAFileMovesTheCursor() throws IOException {
    String file = file("a.yaml", RIGHT.replace("{count", "{\"\\e[2J\u202E\": 1, count"));

    assertThat(lint("-f", file)).isEqualTo(1);
    assertThat(out.toString()).doesNotContain("\u001B").doesNotContain("\u202E");
  }

  @Test
  void norDoesItAsJson() throws IOException {
    String file = file("a.yaml", RIGHT.replace("{count", "{\"\\x9b2J\": 1, count"));

    assertThat(lint("-f", file, "-o", "json")).isEqualTo(1);
    assertThat(out.toString()).contains("\\u009b2J").doesNotContain("\u009b");
  }

  @Test
  void theClassesOfAnotherDriverAreItsOwn() throws IOException {
    String file =
        file(
            "a.yaml",
            """
            apiVersion: resource.k8s.io/v1alpha2
            kind: ResourceClass
            metadata: {name: x}
            driverName: gpu.resource.other.com
            parametersRef: {apiGroup: x.example.com, kind: X, name: x}
            """);

    assertThat(lint("-f", file)).isEqualTo(0);
    assertThat(lint("-f", file, "--driver-name=gpu.resource.other.com")).isEqualTo(1);
  }
}
