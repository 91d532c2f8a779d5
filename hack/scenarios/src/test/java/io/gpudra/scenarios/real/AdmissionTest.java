package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
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
  private static final String CONTROLLER = "deployment/gpudra-controller";
  private static final String CONFIGURATION = "validatingwebhookconfiguration/gpudra-webhook";
  private static final String WRONG = "{cel: device.memroy > 1, count: 2}";
  private static final String TOLD =
      "spec.cel: unknown device attribute \"memroy\", did you mean \"memory\"?";

  /** With the component, of the overlay that is installed. */
  private static final Path INSTALLED = Path.of("target/with-webhook");

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @BeforeEach
  void switchItOn() throws Exception {
    Files.createDirectories(INSTALLED);
    Files.writeString(
        INSTALLED.resolve("kustomization.yaml"),
        """
        resources: [../../../../manifests/overlays/local]
        components: [../../../../manifests/components/webhook]
        """);
    cluster.kubectl("apply", "-k", INSTALLED.toString());
    rolledOut();
    cluster.until(
        "API servers know whom to trust",
        () -> !cluster.kubectl("get", CONFIGURATION, "-o", trusted()).isBlank());
  }

  private static String trusted() {
    return "jsonpath={.webhooks[0].clientConfig.caBundle}";
  }

  @AfterEach
  void switchItOff() throws Exception {
    cluster.kubectl("apply", "-k", "../../manifests/overlays/local");
    for (String file : List.of("configuration", "rbac", "secret", "service")) {
      cluster.kubectl("delete", "-f", "../../manifests/components/webhook/" + file + ".yaml");
    }
    rolledOut();
  }

  @Test
  void what_is_wrong_is_refused_and_what_is_not_there_yet_is_a_warning() throws Exception {
    String ns = cluster.namespace("admitted");
    cluster.until("it is asked", () -> refusal(ns).contains(TOLD));
    Path early = INSTALLED.resolve("early.yaml");
    Files.writeString(early, Given.claimWith(ns, "early", "later"));
    assertThat(cluster.kubectl("apply", "-f", early.toString()))
        .contains("Warning: ", "Not found", "created");
  }

  @Test
  void replicas_that_go_cost_no_review_and_without_any_the_status_says_it() throws Exception {
    String ns = cluster.namespace("unreviewed");
    cluster.until("it is asked", () -> refusal(ns).contains(TOLD));
    for (String replica : cluster.readyPods("gpudra-controller")) {
      cluster.delete(NAMESPACE, replica);
      cluster.until(
          "another one took the place of " + replica,
          () -> {
            assertThat(refusal(ns)).contains(TOLD);
            List<String> ready = cluster.readyPods("gpudra-controller");
            return ready.size() == 2 && !ready.contains(replica);
          });
    }

    cluster.kubectl("-n", NAMESPACE, "scale", CONTROLLER, "--replicas=0");
    cluster.until("nobody is asked any more", () -> refusal(ns).isEmpty());
    cluster.create(Given.parameters(ns, "unseen", WRONG));
    cluster.kubectl("-n", NAMESPACE, "scale", CONTROLLER, "--replicas=2");
    cluster.until("its status says it", () -> valid(ns).contains("did you mean \"memory\"?"));
  }

  /** What is answered to who creates something wrong; empty when it is stored. */
  private String refusal(String ns) throws IOException, InterruptedException {
    try {
      cluster
          .client()
          .post(
              "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuclaimparameters?dryRun=All"
                  .formatted(ns),
              Manifests.parse(Given.parameters(ns, "wrong", WRONG), "test").get(0));
      return "";
    } catch (ClusterClient.Refused refused) {
      return "" + refused.getMessage();
    }
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

  private void rolledOut() throws Exception {
    cluster.kubectl("-n", NAMESPACE, "rollout", "status", CONTROLLER, "--timeout=120s");
  }
}
