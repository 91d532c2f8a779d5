package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.io.BaseEncoding;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The webhook of the driver that is installed, on as long as a test runs and asked by the cluster's
 * API server.
 */
record Webhook(RealClusterUnderTest cluster) implements BeforeEachCallback, AfterEachCallback {
  static final String WRONG = "{cel: device.memroy > 1, count: 2}";
  static final String TOLD =
      "spec.cel: unknown device attribute \"memroy\", did you mean \"memory\"?";
  static final String CONTROLLER = "deployment/gpudra-controller";

  /** With the component, of the overlay that is installed. */
  static final Path INSTALLED = Path.of("target/with-webhook");

  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;
  private static final String CONFIGURATION = "validatingwebhookconfiguration/gpudra-webhook";

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    Files.createDirectories(INSTALLED);
    Files.writeString(
        INSTALLED.resolve("kustomization.yaml"),
        """
        resources: [../../../../manifests/overlays/local]
        components: [../../../../manifests/components/webhook]
        """);
    cluster.kubectl("apply", "-k", INSTALLED.toString());
    rolledOut();
    cluster.until("API servers know whom to trust", () -> !trusted().isBlank());
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    cluster.kubectl("apply", "-k", "../../manifests/overlays/local");
    for (String file : List.of("configuration", "rbac", "secret", "service")) {
      cluster.kubectl("delete", "-f", "../../manifests/components/webhook/" + file + ".yaml");
    }
    rolledOut();
  }

  private void rolledOut() throws Exception {
    cluster.kubectl("-n", NAMESPACE, "rollout", "status", CONTROLLER, "--timeout=120s");
  }

  /** Certificates that API servers trust, as PEM; empty when there is none. */
  String trusted() throws IOException, InterruptedException {
    String encoded =
        cluster.kubectl(
            "get", CONFIGURATION, "-o", "jsonpath={.webhooks[0].clientConfig.caBundle}");
    return new String(BaseEncoding.base64().decode(encoded.strip()), US_ASCII);
  }

  /** What is answered to who creates something wrong; empty when it would be stored. */
  String refusal(String ns) throws IOException, InterruptedException {
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
}
