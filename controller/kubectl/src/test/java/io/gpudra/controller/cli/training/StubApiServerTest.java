package io.gpudra.controller.cli.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.cli.GpudraCommand;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.loop.ControllerDelays;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StubApiServerTest {
  private static final KubeSettings SETTINGS =
      new KubeSettings("gpu.resource.example.com", 30, Clock.systemUTC());

  @Test
  void eachKindIsReadOverTlsAndIsWellFormed(@TempDir Path place) throws Exception {
    try (StubApiServer cluster = StubApiServer.start(place)) {
      cluster.write(place);
      ClusterObjects reading = read(place.resolve("kubeconfig"));

      assertThat(reading.malformed()).isEmpty();
      assertThat(reading.claims()).hasSize(4);
      assertThat(reading.classes()).hasSize(1);
      assertThat(reading.claimParameters()).hasSize(1);
      assertThat(reading.classParameters()).hasSize(1);
      assertThat(reading.namespaces()).hasSize(1);
      assertThat(reading.inventories()).hasSize(1);
      assertThat(place.resolve(StubApiServer.SUB_REQUEST)).isNotEmptyFile();
    }
  }

  @Test
  void everyCommandIsAnsweredWithoutAComplaint(@TempDir Path place) throws Exception {
    try (StubApiServer cluster = StubApiServer.start(place)) {
      cluster.write(place);
      for (String command : TrainingRun.COMMANDS) {
        StringWriter complaints = new StringWriter();
        CommandLine line = GpudraCommand.command().setErr(new PrintWriter(complaints));
        StringWriter answer = new StringWriter();
        line.setOut(new PrintWriter(answer));
        int code = line.execute(words(command, place));

        assertThat(code).as(command + complaints).isBetween(0, 1);
        assertThat(answer + "" + complaints).as(command).isNotBlank().doesNotContain("Exception");
      }
    }
  }

  private static String[] words(String command, Path place) {
    boolean local = command.startsWith("--help") || command.startsWith("lint");
    String there = local ? "" : " --kubeconfig=" + place.resolve("kubeconfig");
    return TrainingRun.words(command + there, place);
  }

  private static ClusterObjects read(Path kubeconfig) throws Exception {
    try (HttpClients http =
        HttpClients.connect(
            Optional.of(kubeconfig), ControllerDelays.API_CALL, new MetricRegistry())) {
      return ClusterObjects.of(http, SETTINGS);
    }
  }
}
