package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.simulator.api.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhoCommandTest {
  private static final Duration HOURS = Duration.ofHours(3).plusMinutes(1);
  private Asking asking;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    asking = new Asking(directory);
    asking.cluster.addNode("worker-1");
    asking.cluster.addNode("worker-2");
    asking.granted("team-b", "two", HOURS, "worker-1", "GPU-0");
    asking.granted("team-a", "one", HOURS, "worker-1", "GPU-1");
  }

  @AfterEach
  void stop() {
    asking.close();
  }

  @Test
  void eachGpuThatSomebodyHasIsToldWithItsClaimAndPods() throws IOException {
    assertThat(asking.ask("who")).isZero();

    assertThat(asking.out())
        .isEqualTo(
            """
            GPU              CLAIM        PODS   WHAT        STATE     SINCE
            worker-1/gpu-0   team-b/two   two    all of it   granted   3 h
            worker-1/gpu-1   team-a/one   one    all of it   granted   3 h
            """);
    assertThat(asking.writes()).isEmpty();
  }

  @Test
  void withANamespaceItIsToldByClaim() throws IOException {
    asking.ask("who", "-n", "team-a");
    assertThat(asking.out())
        .isEqualTo(
            """
            CLAIM        PODS   GPU              WHAT        STATE     SINCE
            team-a/one   one    worker-1/gpu-1   all of it   granted   3 h
            """);

    asking.ask("who", "-A");
    assertThat(asking.out().lines().map(line -> line.substring(0, line.indexOf(' '))))
        .containsExactly("CLAIM", "team-a/one", "team-b/two");
  }

  @ParameterizedTest
  @CsvSource({
    "worker-1/gpu-0, worker-1/gpu-0",
    "GPU-1, 'worker-1/gpu-1,worker-2/gpu-1'",
    "gpu-0, 'worker-1/gpu-0,worker-2/gpu-0'",
    "worker-2, 'worker-2/gpu-0,worker-2/gpu-1'"
  })
  void oneNodeOrGpuIsToldAlsoWhenNobodyHasIt(String which, String told) throws IOException {
    assertThat(asking.ask("who", which)).isZero();

    assertThat(asking.out().lines().skip(1).map(line -> line.substring(0, line.indexOf(' '))))
        .containsExactly(told.split(","));
  }

  @Test
  void programsGetTheSame() throws IOException {
    asking.ask("who", "worker-1/gpu-0", "-o", "json");
    assertThat(Json.parse(asking.out()).at("/devices/0/claim/name").asText()).isEqualTo("two");
    assertThat(Json.parse(asking.out()).at("/devices/0/pods/0/name").asText()).isEqualTo("two");

    asking.ask("who", "-o", "name");
    assertThat(asking.out()).isEqualTo("resourceclaim/two\nresourceclaim/one\n");
  }

  @Test
  void whatIsNotThereIsNotAnswered() throws IOException {
    assertThat(asking.ask("who", "worker-9")).isEqualTo(2);
    assertThat(asking.err()).contains("no node and no GPU found with the name worker-9");
  }

  @Test
  void whoMayReadOneNamespaceSeesItsClaims() throws IOException {
    asking.onlyOfANamespace();

    assertThat(asking.ask("who", "-n", "team-a")).isZero();
    assertThat(asking.out()).contains("team-a/one").doesNotContain("team-b");
  }
}
