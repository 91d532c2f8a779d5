package io.gpudra.controller.cli.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ClusterReading;
import io.gpudra.controller.kube.KubeSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PaperClusterTest {
  private static final KubeSettings SETTINGS =
      new KubeSettings("gpu.resource.example.com", 30, Clock.systemUTC());

  @Test
  void oneOfEachKindIsReadOverTlsAndIsWellFormed(@TempDir Path place) throws Exception {
    try (PaperCluster cluster = PaperCluster.start(place)) {
      cluster.write(place);
      ClusterReading reading = read(place.resolve("kubeconfig"));

      assertThat(reading.malformed()).isEmpty();
      assertThat(reading.claims()).hasSize(1);
      assertThat(reading.classes()).hasSize(1);
      assertThat(reading.claimParameters()).hasSize(1);
      assertThat(reading.classParameters()).hasSize(1);
      assertThat(reading.namespaces()).hasSize(1);
      assertThat(reading.inventories()).hasSize(1);
      assertThat(place.resolve(PaperCluster.WISH)).isNotEmptyFile();
    }
  }

  private static ClusterReading read(Path kubeconfig) throws Exception {
    try (HttpClients http =
        HttpClients.connect(
            Optional.of(kubeconfig), HttpClients.UNARY_TIMEOUT, new MetricRegistry())) {
      return ClusterReading.of(http, SETTINGS);
    }
  }
}
