package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
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
  private static final String CONFIGURATION = "validatingwebhookconfiguration/gpudra-webhook";

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    component().add();
    cluster.until("API servers know whom to trust", () -> !trusted().isBlank());
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    component().remove();
  }

  Component component() {
    return new Component(
        cluster, "webhook", ImmutableList.of("configuration", "rbac", "secret", "service"));
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
