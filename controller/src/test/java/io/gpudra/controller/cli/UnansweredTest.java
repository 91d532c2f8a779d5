package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnknownHostException;
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
  void noNamesOfOurCodeAreTold() {
    assertThat(Unanswered.why(new UnknownHostException("nowhere.example")))
        .isEqualTo("no host nowhere.example is known");
    assertThat(Unanswered.why(new IOException("connection\nreset"))).isEqualTo("connection reset");
  }
}
