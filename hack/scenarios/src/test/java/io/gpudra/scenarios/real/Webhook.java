package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.collect.ImmutableListMultimap;
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
record Webhook(RealClusterUnderTest cluster, ImmutableListMultimap<String, String> more)
    implements BeforeEachCallback, AfterEachCallback {
  static final String WRONG = "{cel: device.memroy > 1, count: 2}";
  static final String TOLD =
      "spec.cel: unknown device attribute \"memroy\", did you mean \"memory\"?";
  private static final String GATES = "gates-webhook";
  private static final String VALIDATING = "validatingwebhookconfiguration/gpudra-webhook";
  private static final String MUTATING = "mutatingwebhookconfiguration/gpudra-webhook";

  /** That reviews objects. */
  Webhook(RealClusterUnderTest cluster) {
    this(cluster, ImmutableListMultimap.of());
  }

  /** That adds gates to pods, too. */
  static Webhook withGates(RealClusterUnderTest cluster) {
    return new Webhook(cluster, ImmutableListMultimap.of(GATES, "configuration", GATES, "rbac"));
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    component().add();
    cluster.until("API servers know whom to trust", () -> !trusted().isBlank());
    if (more.containsKey(GATES)) {
      cluster.until("for gates, too", () -> !trusted(MUTATING).isBlank());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    component().remove();
  }

  Component component() {
    return new Component(
        cluster,
        ImmutableListMultimap.<String, String>builder()
            .putAll("webhook", "configuration", "rbac", "secret", "service")
            .putAll(more)
            .build());
  }

  /** Certificates that API servers trust, as PEM; empty when there is none. */
  String trusted() throws IOException, InterruptedException {
    return trusted(VALIDATING);
  }

  private String trusted(String configuration) throws IOException, InterruptedException {
    String encoded =
        cluster.kubectl(
            "get", configuration, "-o", "jsonpath={.webhooks[0].clientConfig.caBundle}");
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
