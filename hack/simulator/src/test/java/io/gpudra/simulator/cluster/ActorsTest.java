package io.gpudra.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.server.ObjectServer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The actors on their threads. */
class ActorsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ObjectServer api =
      new ObjectServer(Clock.systemUTC(), new SplittableRandom(1), 1000);

  private String phase(String pod) {
    return api.get(Resource.PODS, "default", pod).orElseThrow().at("/status/phase").asText();
  }

  private void pod(String name) {
    api.create(
        Resource.PODS,
        Json.parse(
            """
            {"metadata":{"name":"%s","namespace":"default"},
             "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}
            """
                .formatted(name)));
  }

  @Test
  void aPodRunsFinishesAndGoesWithoutAnybodyStepping(@TempDir Path dir) {
    NodeConfig node = new NodeConfig("n1", dir, List.of(dir), Profile.V1_30, Map.of("zone", "z"));
    try (Actors actors = Actors.start(api, ActorsConfig.quick(List.of(node)))) {
      pod("p");
      await().atMost(LIMIT).until(() -> phase("p").equals("Running"));
      assertThat(actors.containers()).hasSize(1);
      assertThat(actors.containers().get(0).running()).isTrue();

      actors.kubelet("n1").restart();
      pod("q");
      await().atMost(LIMIT).until(() -> phase("q").equals("Running"));
      String uid =
          api.get(Resource.PODS, "default", "p").orElseThrow().at("/metadata/uid").asText();
      assertThat(actors.kubelet("n1").finish(uid)).isTrue();
      await().atMost(LIMIT).until(() -> phase("p").equals("Succeeded"));

      api.delete(Resource.PODS, "default", "p", Optional.empty());
      api.delete(Resource.PODS, "default", "q", Optional.empty());
      await().atMost(LIMIT).until(() -> api.list(Resource.PODS).isEmpty());
      await().atMost(LIMIT).until(() -> actors.containers().isEmpty());
    }
    pod("r");
    assertThat(phase("r")).as("nobody is left").isEqualTo("Pending");
  }
}
