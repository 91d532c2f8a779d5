package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** The webhook, switched on where the driver already runs, asked by a real API server. */
@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class AdmissionTest {
  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;

  @RegisterExtension
  @Order(1)
  final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @RegisterExtension
  @Order(2)
  final Webhook webhook = new Webhook(cluster);

  @Test
  void whatIsWrongIsRefusedAndWhatIsNotThereYetIsAWarning() throws Exception {
    String ns = cluster.namespace("admitted");
    cluster.until("it is asked", () -> webhook.refusal(ns).contains(Webhook.TOLD));
    Path early = webhook.component().directory().resolve("early.yaml");
    Files.writeString(early, Given.claimWith(ns, "early", "later"));
    assertThat(cluster.kubectl("apply", "-f", early.toString()))
        .contains("Warning: ", "Not found", "created");
  }

  @Test
  void replicasThatGoCostNoReviewAndWithoutAnyTheStatusSaysIt() throws Exception {
    String ns = cluster.namespace("unreviewed");
    cluster.until("it is asked", () -> webhook.refusal(ns).contains(Webhook.TOLD));
    for (String replica : cluster.readyPods("gpudra-controller")) {
      cluster.delete(NAMESPACE, replica);
      cluster.until(
          "another one took the place of " + replica,
          () -> {
            assertThat(webhook.refusal(ns)).contains(Webhook.TOLD);
            List<String> ready = cluster.readyPods("gpudra-controller");
            return ready.size() == 2 && !ready.contains(replica);
          });
    }

    cluster.kubectl("-n", NAMESPACE, "scale", Component.CONTROLLER, "--replicas=0");
    cluster.until("nobody is asked any more", () -> webhook.refusal(ns).isEmpty());
    cluster.create(Given.parameters(ns, "unseen", Webhook.WRONG));
    cluster.kubectl("-n", NAMESPACE, "scale", Component.CONTROLLER, "--replicas=2");
    cluster.until("its status says it", () -> valid(ns).contains("did you mean \"memory\"?"));
  }

  private String valid(String ns) throws IOException, InterruptedException {
    for (JsonNode condition :
        cluster
            .client()
            .get(
                "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuclaimparameters/unseen"
                    .formatted(ns))
            .at("/status/conditions")) {
      if (condition.path("type").asText().equals("Valid")) {
        return condition.path("message").asText();
      }
    }
    return "";
  }
}
