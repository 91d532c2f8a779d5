package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.controller.check.command.ProgressReporter;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
  private static final Match CLAIMS = new Match("list", "resourceclaims", "");

  /** Of JSON, a program reads what is printed. */
  @ParameterizedTest
  @CsvSource({"doctor", "check", "nodes"})
  void whoWaitsForALargeClusterIsToldAndWhoReadsTheAnswerIsNot(
      String question, @TempDir Path directory) throws IOException {
    try (Asking asking = new Asking(directory)) {
      asking.cluster.addNode("worker-1");
      asking.cluster.server.faults().inject(CLAIMS, Fault.delay(Duration.ofSeconds(3)), 1);

      asking.ask(question, "-o", "json");

      assertThat(asking.err()).contains("still reading the cluster, for 2 s now\n");
      assertThat(Json.parse(asking.out()).isObject()).isTrue();
    }
  }

  @Test
  void nothingIsToldOfAnAnswerThatComesSoon(@TempDir Path directory) throws IOException {
    try (Asking asking = new Asking(directory)) {
      asking.cluster.addNode("worker-1");

      asking.ask("nodes");

      assertThat(asking.err()).isEmpty();
    }
  }

  @Test
  void whatIsDoneIsToldAgainUntilItIsDone() {
    StringWriter err = new StringWriter();
    Duration step = Duration.ofMillis(5);
    try (ProgressReporter progress =
        new ProgressReporter(new PrintWriter(err), "looking", step, step)) {
      await().until(() -> err.toString().contains("still looking, for 0 s now\n"));
      progress.now("thinking");
      await().until(() -> err.toString().contains("still thinking, "));
    }
  }
}
