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

class TopCommandTest {
  private Asking asking;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    asking = new Asking(directory);
    asking.cluster.addNode("worker-1");
    asking.cluster.addNode("worker-2");
    asking.granted("team-b", "two", Duration.ofHours(3), "worker-1", "GPU-0");
    asking.granted("team-a", "one", Duration.ofHours(2), "worker-1", "GPU-1");
    asking.granted("team-a", "three", Duration.ofHours(2), "worker-2", "GPU-0");
  }

  @AfterEach
  void stop() {
    asking.close();
  }

  @Test
  void whoHoldsMostComesFirstAndNothingIsWritten() throws IOException {
    assertThat(asking.ask("top", "claims")).isZero();
    assertThat(asking.out())
        .isEqualTo(
            """
            NAMESPACE   CLAIM   GPUS   GPU-HOURS
            team-b      two     1.0    3.0
            team-a      one     1.0    2.0
            team-a      three   1.0    2.0
            """);

    assertThat(asking.ask("top", "namespaces")).isZero();
    assertThat(asking.out())
        .isEqualTo(
            """
            NAMESPACE   CLAIMS   GPUS   GPU-HOURS
            team-a      2        2.0    4.0
            team-b      1        1.0    3.0
            """);
    assertThat(asking.writes()).isEmpty();
  }

  @Test
  void oneNamespaceIsToldAlone() throws IOException {
    asking.ask("top", "claims", "-n", "team-b", "-o", "name");
    assertThat(asking.out()).isEqualTo("resourceclaim/two\n");

    asking.ask("top", "namespaces", "-A", "-o", "json");
    assertThat(Json.parse(asking.out()).at("/namespaces/0/claims").asInt()).isEqualTo(2);
  }

  @Test
  void whoMayReadOneNamespaceSeesItsTime() throws IOException {
    asking.onlyOfANamespace();

    assertThat(asking.ask("top", "namespaces", "-n", "team-a")).isZero();
    assertThat(asking.out()).contains("team-a      2        2.0    4.0").doesNotContain("team-b");
    assertThat(asking.err()).contains("of resourceclaims only those of namespace team-a are seen");
  }

  @Test
  void aNamespaceHasItsQuotas() throws IOException {
    asking.quota("team-a", "all", "{\"gpus\":\"4\",\"memory\":\"640Gi\"}");
    asking.quota("team-a", "few", "{\"gpus\":\"2500m\"}");

    asking.ask("top", "namespaces", "-o", "wide");
    assertThat(asking.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "NAMESPACE CLAIMS GPUS GPU-HOURS QUOTA",
            "team-a 2 2.0 4.0 all gpus 2/4 memory 30Gi/640Gi; few gpus 2/2500m",
            "team-b 1 1.0 3.0 -");
    asking.ask("top", "namespaces", "-o", "json");
    assertThat(Json.parse(asking.out()).at("/namespaces/0/quotas/0").toString())
        .isEqualTo(
            "{\"name\":\"all\",\"gpus\":{\"used\":\"2\",\"hard\":\"4\"},"
                + "\"memory\":{\"used\":\"30Gi\",\"hard\":\"640Gi\"}}");
    assertThat(Json.parse(asking.out()).at("/namespaces/1/quotas").toString()).isEqualTo("[]");
    asking.ask("top", "namespaces");
    assertThat(asking.out()).doesNotContain("QUOTA");
  }

  @Test
  void somethingElseCannotBeSummedUp() throws IOException {
    assertThat(asking.ask("top", "nodes")).isEqualTo(2);
    assertThat(asking.err()).contains("claims, namespaces");
  }
}
