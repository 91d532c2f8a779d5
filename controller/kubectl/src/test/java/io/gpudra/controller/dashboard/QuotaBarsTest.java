package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.view.Scene;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The quotas as the page is sent them. */
class QuotaBarsTest {
  private static String quotas(Scene scene) {
    return new DashboardStateBuilder(Scene.DRIVER, "cluster", Duration.ZERO)
        .of(scene.sight())
        .parts()
        .getOrDefault("quotas", "");
  }

  @Test
  void eachQuotaHasItsUseTheFullestFirst() {
    Scene scene =
        new Scene()
            .node("worker-1", 4)
            .granted("team-a/x", Duration.ofHours(1), "worker-1", Scene.whole("worker-1", 0))
            .granted("team-b/y", Duration.ofHours(1), "worker-1", Scene.whole("worker-1", 1))
            .quota("team-a", "many", "gpu", "8")
            .quota("team-b", "half", "gpu", "500m")
            .quota("idle", "none", "gpu", "0");
    assertThat(quotas(scene))
        .isEqualTo(
            "{\"total\":3,\"list\":[[\"team-b\",\"half\",\"gpus\",\"1\",\"500m\",2000],"
                + "[\"idle\",\"none\",\"gpus\",\"0\",\"0\",1000],"
                + "[\"team-a\",\"many\",\"gpus\",\"1\",\"8\",125]]}");
  }

  @Test
  void ofThousandsOfQuotasTheFullestAreSent() throws IOException {
    Scene scene = new Scene();
    for (int i = 0; i < 200; i++) {
      scene.quota("team-" + i, "all", "gpu", "4");
    }
    JsonNode sent = DashboardJson.MAPPER.readTree(quotas(scene));
    assertThat(sent.path("total").asInt()).isEqualTo(200);
    assertThat(sent.path("list")).hasSize(50);
  }

  @Test
  void aClusterWithoutQuotasHasNone() {
    assertThat(quotas(new Scene())).isEqualTo("{\"total\":0,\"list\":[]}");
  }
}
