package io.gpudra.controller.cli.translate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.cli.GpudraCommand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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

/** What {@code kubectl gpudra migrate} writes and prints. */
class MigrateCommandTest {
  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: p}
      spec:
        resourceClaims:
        - {name: gpu, source: {resourceClaimName: x}}
      """;
  private static final String CLAIM =
      """
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaim
      metadata: {name: x}
      spec: {resourceClassName: c, allocationMode: Immediate}
      """;
  private static final String NOTES =
      """
      note: use 1.36.3 or later
      note: Kubernetes 1.32 and later need a driver that publishes gpu.resource.example.com\
       devices; see docs/reference/translation.md
      """;

  private Path directory = Path.of("");
  private Path in = Path.of("");
  private Path out = Path.of("");

  /** What a call printed. */
  private record Answer(int status, String out, String err) {}

  @BeforeEach
  void write(@TempDir Path temporary) throws IOException {
    directory = temporary;
    in = directory.resolve("in");
    Files.createDirectories(in.resolve("deep"));
    out = directory.resolve("out");
    Files.writeString(in.resolve("pod.yaml"), POD);
    Files.writeString(in.resolve("deep/claim.yaml"), CLAIM);
  }

  private static Answer migrate(InputStream input, String... arguments) {
    String[] all = Stream.concat(Stream.of("migrate"), Stream.of(arguments)).toArray(String[]::new);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        GpudraCommand.command(all).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    TranslateCommand migrate = requireNonNull(command.getSubcommands().get("migrate")).getCommand();
    migrate.readFrom(input);
    return new Answer(command.execute(all), out.toString(), err.toString());
  }

  private static Answer migrate(String... arguments) {
    return migrate(InputStream.nullInputStream(), arguments);
  }

  private String inDirectory(Path file) throws IOException {
    return Files.readString(out.resolve(in.relativize(file)));
  }

  @Test
  void eachFileHasItsResultAtTheSamePlace() throws IOException {
    Answer answer = migrate("-f", in.toString(), "-o", out.toString());

    assertThat(answer.status()).isZero();
    assertThat(answer.out()).isEmpty();
    assertThat(inDirectory(in.resolve("pod.yaml")))
        .isEqualTo(POD.replace("source: {resourceClaimName: x}", "resourceClaimName: x"));
    assertThat(inDirectory(in.resolve("deep/claim.yaml"))).contains("resource.k8s.io/v1\n");
  }

  @Test
  void remarksHaveTheirPlaceAndTheEndCounts() {
    Answer answer = migrate("-f", in.toString(), "-o", out.toString());
    String claim = in.resolve("deep/claim.yaml").toString();

    assertThat(answer.err())
        .isEqualTo(
            claim
                + ":4:8: weaker: ResourceClaim x: spec.resourceClassName: before: class c has its"
                + " defaults and limits; now: it is not among the files; they are unknown; to do:"
                + " give its file, too\n"
                + claim
                + ":4:30: lost: ResourceClaim x: spec.allocationMode: before: allocated when the"
                + " claim is created; now: allocated when the first pod comes; to do: nothing"
                + " replaces it\n"
                + NOTES
                + "2 objects changed, 0 unchanged, in 2 files: 0 same, 1 weaker, 1 lost\n");
  }

  @Test
  void strictTellsByItsStatusThatAMeaningIsLost() throws IOException {
    assertThat(migrate("-f", in.toString(), "-o", out.toString(), "--strict").status()).isOne();
    assertThat(inDirectory(in.resolve("pod.yaml"))).isNotEmpty();
    assertThat(migrate("-f", in.resolve("pod.yaml").toString(), "--strict").status()).isZero();
  }

  @Test
  void remarksAreGivenAsJson() {
    assertThat(migrate("-f", in.toString(), "--remarks", "json").err())
        .contains("\"weight\" : \"lost\"", "\"line\" : 4", "\"changed\" : 2")
        .doesNotContain("note:");
  }

  @Test
  void resultsArePrintedOneBehindTheOther() {
    assertThat(migrate("-f", in.toString()).out())
        .matches("(?s)apiVersion: resource.k8s.io/v1\n.*\n---\napiVersion: v1\nkind: Pod\n.*\n");
    assertThat(
            migrate(new ByteArrayInputStream(POD.getBytes(StandardCharsets.UTF_8)), "-f", "-")
                .out())
        .contains("resourceClaimName: x");
  }

  @Test
  void aDirectoryThatIsNotEmptyIsLeftAlone() throws IOException {
    Files.createDirectories(out);
    assertThat(migrate("-f", in.toString(), "-o", out.toString()).status()).isZero();

    Answer answer = migrate("-f", in.toString(), "-o", out.toString());

    assertThat(answer.status()).isEqualTo(2);
    assertThat(answer.err()).isEqualTo(out + " is not empty; choose another directory\n");
  }

  @Test
  void twoFilesOfOnePlaceAreRefused() throws IOException {
    Path other = Files.createDirectories(directory.resolve("other"));
    Files.writeString(other.resolve("pod.yaml"), POD);
    Answer answer = migrate("-f", in.toString(), "-f", other.toString(), "-o", out.toString());

    assertThat(answer.status()).isEqualTo(2);
    assertThat(answer.err())
        .isEqualTo(
            other.resolve("pod.yaml") + ": two results for pod.yaml; translate it by itself\n");
    assertThat(out).doesNotExist();
  }

  @Test
  void aFileThatIsNoYamlStopsAll() throws IOException {
    Files.writeString(in.resolve("bad.yaml"), "a: {{ .Values.b }}\nb: [\n");
    Answer answer = migrate("-f", in.toString(), "-o", out.toString());

    assertThat(answer.status()).isEqualTo(2);
    assertThat(answer.err())
        .startsWith(in.resolve("bad.yaml") + ":")
        .endsWith("; if it is a template of Helm, translate the output of helm template\n");
    assertThat(out).doesNotExist();
  }

  @Test
  void aFileThatCannotBeReadStopsAll() {
    assertThat(migrate("-f", in.resolve("none.yaml").toString()))
        .isEqualTo(new Answer(2, "", "not read " + in.resolve("none.yaml") + ": no such file\n"));
  }

  @Test
  void versionsBefore134AreRefused() {
    assertThat(migrate("-f", in.toString(), "--to", "1.33").err())
        .contains("expected 1.34, 1.35, 1.36 or 1.37");
    assertThat(migrate("-f", in.resolve("pod.yaml").toString(), "--to", "1.37").err())
        .doesNotContain("1.36.3");
  }
}
