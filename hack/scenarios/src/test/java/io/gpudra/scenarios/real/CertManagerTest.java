package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** The driver that its chart has installed with {@code webhook.certManager.enabled=true}. */
@Tag("certmanager")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class CertManagerTest {
  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;
  private static final String ACCOUNT =
      "--as=system:serviceaccount:" + NAMESPACE + ":gpudra-controller";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private final Webhook webhook = new Webhook(cluster);

  @Test
  void theWebhookHasItsCertificateFromCertManagerAndAnotherOneWhenThatIsDue() throws Exception {
    String ns = cluster.namespace("certified");
    cluster.kubectl(
        "-n",
        NAMESPACE,
        "wait",
        "--for=condition=Ready",
        "certificate/gpudra-webhook",
        "--timeout=120s");
    cluster.until("API servers know whom to trust", () -> !webhook.trusted().isBlank());
    cluster.until("it is asked", () -> webhook.refusal(ns).contains(Webhook.TOLD));
    String first = webhook.trusted();

    cluster.kubectl("-n", NAMESPACE, "delete", "secret", "gpudra-webhook");

    cluster.until(
        "another certificate is trusted",
        () -> !webhook.trusted().isBlank() && !webhook.trusted().equals(first));
    cluster.until("and served", () -> webhook.refusal(ns).contains(Webhook.TOLD));
  }

  @Test
  void theControllerHasNoRightToChangeIt() throws Exception {
    for (String object :
        new String[] {
          "secret/gpudra-webhook",
          "validatingwebhookconfiguration/gpudra-webhook",
          "mutatingwebhookconfiguration/gpudra-webhook"
        }) {
      assertThat(
              cluster
                  .tryKubectl("-n", NAMESPACE, "auth", "can-i", "patch", object, ACCOUNT)
                  .text()
                  .strip())
          .as(object)
          .endsWith("no");
    }
  }
}
