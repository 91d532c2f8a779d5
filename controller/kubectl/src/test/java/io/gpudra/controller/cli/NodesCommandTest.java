package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.http.RequestLog.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodesCommandTest {
  private Asking asking;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    asking = new Asking(directory);
    asking.cluster.addNode("worker-1");
    asking.cluster.addNode("worker-2");
    asking.cluster.addNode("worker-3");
    asking.silence("worker-2");
    asking.granted("team-a", "one", Duration.ofHours(3), "worker-1", "GPU-0");
    asking.granted("team-a", "lost", Duration.ofHours(3), "worker-3", "GPU-9");
  }

  @AfterEach
  void stop() {
    asking.close();
  }

  @Test
  void eachNodeAndAllTogetherAreCountedAndNothingIsWritten() throws IOException {
    assertThat(asking.ask("nodes")).isZero();

    assertThat(asking.out().replaceAll("plugin silent since .*", "plugin silent"))
        .isEqualTo(
            """
            NODE       GPUS   FREE   PARTLY   GRANTED   DRAINING   TAINTED   STALE   LOST   PARTS   FITS   FITS-MEMORY   FITS-MIG   STATE
            worker-1   2      1      0        1         0          0         0       0      -       1      15Gi          -          ok
            worker-2   2      0      0        0         0          0         2       0      -       0      -             -          plugin silent
            worker-3   2      2      0        0         0          0         0       1      -       2      15Gi          -          ok
            (all: 3)   6      3      0        1         0          0         2       1      -       2      15Gi          -          1 not ok
            """);
    assertThat(asking.writes()).isEmpty();
  }

  @Test
  void wideTellsModelsAndVersions() throws IOException {
    asking.ask("nodes", "-o", "wide");

    assertThat(asking.out().lines().toList().get(0))
        .endsWith("MODELS   DRIVER   CUDA   PLUGIN   HEARTBEAT");
    assertThat(asking.out().lines().toList().get(1)).contains("2x T4").contains("s ago");
  }

  @Test
  void programsGetEachGpuWithItsStateAndHolders() throws IOException {
    asking.ask("nodes", "-o", "json");

    JsonNode gpu = Json.parse(asking.out()).at("/nodes/0/gpus/0");
    assertThat(gpu.path("state").asText()).isEqualTo("granted");
    assertThat(gpu.at("/holders/0/name").asText()).isEqualTo("one");
    asking.ask("nodes", "-o", "name");
    assertThat(asking.out()).isEqualTo("node/worker-1\nnode/worker-2\nnode/worker-3\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nodes", "who", "top claims"})
  void nothingIsReadButNodesAndWhoHasTheirGpus(String question) throws IOException {
    asking.cluster.server.requests().clear();

    assertThat(asking.ask(question.split(" "))).isZero();

    assertThat(asking.cluster.server.requests().all())
        .extracting(Entry::verb, Entry::resource)
        .containsExactlyInAnyOrder(
            tuple("list", "nodes"),
            tuple("list", "nodeinventories"),
            tuple("list", "resourceclaims"));
  }

  @Test
  void whoMayNotReadNodesIsToldSo() throws IOException {
    asking.onlyOfANamespace();

    asking.ask("nodes", "-n", "team-b");

    assertThat(asking.err()).contains("no nodes are seen: the right to list them is missing");
  }
}
