package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompletionCommandTest {

  private static String print(String... arguments) {
    StringWriter out = new StringWriter();
    assertThat(GpudraCommand.command().setOut(new PrintWriter(out)).execute(arguments)).isZero();
    return out.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "ex | explain",
        "no | nodes",
        "top cl | claims",
        "top name | namespaces",
        "nodes --out | --output",
        "explain --wat | --watch",
        "-n team-a ex | explain",
      })
  void theNextWordIsOffered(String typed, String offered) {
    String[] words = ("__complete -- " + typed).split(" ");

    assertThat(print(words).lines()).contains(offered).endsWith(":4");
  }

  @Test
  void itselfIsNotOffered() {
    assertThat(print("__complete", "--", "")).contains("explain\n").doesNotContain("__complete");
  }

  @ParameterizedTest
  @CsvSource({
    "bash, complete -F _complete_kubectl-gpudra",
    "zsh, bashcompinit",
    "fish, complete -c kubectl-gpudra",
    "kubectl, exec kubectl-gpudra __complete --"
  })
  void everyShellHasItsScript(String shell, String part) {
    assertThat(print("completion", shell)).contains(part);
  }

  @Test
  void bashReadsItsScript(@TempDir Path directory) throws IOException, InterruptedException {
    Path script = directory.resolve("completion");
    Files.writeString(script, print("completion", "bash"));
    Process bash =
        new ProcessBuilder("bash", "-c", "source " + script + " && complete -p kubectl-gpudra")
            .redirectErrorStream(true)
            .start();

    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).describedAs(out).isZero();
    assertThat(out).contains("kubectl-gpudra");
  }
}
