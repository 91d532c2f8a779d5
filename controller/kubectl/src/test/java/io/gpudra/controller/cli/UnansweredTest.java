package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.check.command.CheckCommand;
import io.gpudra.controller.check.command.ConnectErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnansweredTest {
  @Test
  void aRightThatIsMissingIsNamed(@TempDir Path directory) throws IOException {
    try (Asking asking = new Asking(directory)) {
      asking.onlyOfANamespace();

      assertThat(asking.ask("check")).isEqualTo(CheckCommand.NOT_CHECKED);

      assertThat(asking.err())
          .matches("cannot check: GET /\\S+ answered 403: the right to read it is missing\\n");
    }
  }

  @Test
  void aFieldOfAKubeconfigThatWouldBeDroppedIsNamed(@TempDir Path directory) throws IOException {
    Path config =
        Files.writeString(
            directory.resolve("config"),
            """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts: [{name: c, context: {cluster: k, user: u}}]
            clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]
            users: [{name: u, user: {token: t, as: alice}}]
            """);
    StringWriter err = new StringWriter();
    String[] all = {"check", "--kubeconfig=" + config};

    assertThat(GpudraCommand.command(all).setErr(new PrintWriter(err)).execute(all))
        .isEqualTo(CheckCommand.NOT_CHECKED);

    assertThat(err.toString())
        .startsWith("cannot check: kubeconfig: user \"u\" has as, which is not supported");
  }

  @Test
  void noNamesOfOurCodeAreTold() {
    assertThat(ConnectErrorText.why(new UnknownHostException("nowhere.example")))
        .isEqualTo("unknown host nowhere.example");
    assertThat(ConnectErrorText.why(new IOException("connection\nreset")))
        .isEqualTo("connection reset");
  }
}
