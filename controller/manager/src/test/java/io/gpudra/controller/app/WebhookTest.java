package io.gpudra.controller.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.Closer;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.controller.webhook.Webhook;
import io.gpudra.controller.webhook.server.ReviewClient;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Controllers with webhooks, beside an API server in the same process. */
class WebhookTest {
  private static final Resource SECRETS = new Resource("", "v1", "secrets");
  private static final Resource CONFIGURATIONS =
      new Resource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations");
  private static final Resource MUTATING =
      new Resource("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations");
  private static final String HOST = "gpudra-webhook.gpudra.svc";

  private final Closer started = Closer.create();
  private Path directory;
  private Cluster cluster;

  private final class Replica {
    private final ControllerLifecycle controller;
    private final Webhook webhook;
    private final MetricRegistry metrics = new MetricRegistry();

    Replica(String identity, String... more) throws IOException {
      ControllerOptions options = new ControllerOptions();
      new CommandLine(options)
          .parseArgs(
              Stream.concat(
                      Stream.of(
                          "--kubeconfig=" + cluster.kubeconfig(directory),
                          "--namespace=gpudra",
                          "--retry-period=100ms",
                          "--workers=2",
                          "--http-address=127.0.0.1",
                          "--webhook-port=0"),
                      Stream.of(more))
                  .toArray(String[]::new));
      HttpClients http = HttpClients.connect(options.kubeconfig(), options.apiTimeout(), metrics);
      ControllerComponents controllerComponents =
          new ControllerAssembly(options, http, metrics).wire(identity, 30, why -> {});
      webhook = WebhookComponents.open(options, http, controllerComponents).orElseThrow();
      controller = new ControllerLifecycle(controllerComponents, options.workers, failure -> {});
      controller.start();
      started.register(http::close);
      started.register(this::stop);
    }

    private void stop() {
      try {
        boolean unused = controller.stop();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      webhook.close();
    }

    String create(String ofClass) throws Exception {
      return ask(
          """
          {"request": {"uid": "u", "operation": "CREATE", "namespace": "default",
            "kind": {"group": "resource.k8s.io", "kind": "ResourceClaim"},
            "object": {"spec": {"resourceClassName": "%s",
              "parametersRef": {"apiGroup": "x", "kind": "y", "name": "z"}}}}}\
          """
              .formatted(ofClass));
    }

    String ask(String review) throws Exception {
      InetSocketAddress port =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), webhook.port());
      try (ReviewClient client =
          ReviewClient.connect(port, ReviewClient.trusting(trusted()), HOST)) {
        return client.post(review).body();
      }
    }
  }

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
    cluster.objects.create(
        SECRETS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"gpudra","name":"gpudra-webhook"}}\
            """));
    cluster.objects.create(
        CONFIGURATIONS,
        Json.parse(
            """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
             "metadata":{"name":"gpudra-webhook"}, "webhooks": [
              {"name": "claims.example.com", "clientConfig": {"service": {"name": "s"}}, "sideEffects": "None"},
              {"name": "inventories.example.com", "clientConfig": {"service": {"name": "s"}}}]}\
            """));
  }

  @AfterEach
  void stop() throws IOException {
    started.close();
    cluster.close();
  }

  private void awaitServing(Replica replica) {
    await("it serves", () -> !caBundle(0).isEmpty() && replica.webhook.hindrances().isEmpty());
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
  }

  private String trusted() {
    String first = caBundle(0);
    assertThat(caBundle(1)).isEqualTo(first);
    return new String(Base64.getDecoder().decode(first), UTF_8);
  }

  private String caBundle(int webhook) {
    return cluster
        .objects
        .get(CONFIGURATIONS, "", "gpudra-webhook")
        .orElseThrow()
        .at("/webhooks/%d/clientConfig/caBundle".formatted(webhook))
        .asText();
  }

  @Test
  void everyReplicaServesWhatTheLeaderMadeAlsoWhenTheLeaderIsGone() throws Exception {
    Replica first = new Replica("a");
    awaitServing(first);
    Replica second = new Replica("b");
    awaitServing(second);

    await("the class is known", () -> first.create("gpu").contains("Unsupported value"));
    await("the class is known", () -> second.create("gpu").contains("Unsupported value"));
    assertThat(second.create("gpu")).contains("\"allowed\":false").contains("\"code\":422");
    assertThat(second.create("none")).contains("\"allowed\":true").contains("Not found");
    first.stop();

    assertThat(second.create("gpu")).contains("\"allowed\":false");
    assertThat(
            cluster
                .objects
                .get(CONFIGURATIONS, "", "gpudra-webhook")
                .orElseThrow()
                .at("/webhooks/0/clientConfig/service/name")
                .asText())
        .as("the rest of the configuration stays")
        .isEqualTo("s");
  }

  @Test
  void withoutItsSecretItIsNotReadyAndSaysSoAndTheControllerWorks() throws Exception {
    cluster.objects.delete(SECRETS, "gpudra", "gpudra-webhook", Optional.empty());
    cluster.addNode("worker-1");
    cluster.claimImmediately("one");

    Replica alone = new Replica("a");

    await("the claim's allocation", () -> cluster.handle("one").isPresent());
    assertThat(alone.webhook.hindrances()).containsExactly("the webhook has no certificate yet");
  }

  /** A leader of the time before the webhook ends only once its successor is ready. */
  @Test
  void itIsReadyBesideALeaderThatMakesNoCertificate() throws Exception {
    ObjectNode lease = cluster.objects.get(Resource.LEASES, "gpudra", Cluster.DRIVER).orElseThrow();
    lease.withObject("/spec").put("holderIdentity", "old").put("leaseDurationSeconds", 3_600);
    cluster.objects.update(Resource.LEASES, lease);

    Replica standby = new Replica("a");

    await("it is ready", () -> standby.webhook.hindrances().isEmpty());
    assertThat(caBundle(0)).isEmpty();
  }

  @Test
  void aPluginWritesTheInventoryOfTheNodeOfItsPodAndNoOther() throws Exception {
    String uid =
        cluster
            .objects
            .create(
                Resource.PODS,
                Json.parse(
                    """
                    {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"gpudra","name":"plugin-x"},
                     "spec":{"nodeName":"worker-1","containers":[{"name":"c","image":"i"}]}}\
                    """))
            .at("/metadata/uid")
            .asText();
    Replica replica = new Replica("a");
    awaitServing(replica);

    assertThat(replica.ask(inventory("worker-1", uid))).contains("\"allowed\":true");
    assertThat(replica.ask(inventory("worker-2", uid)))
        .contains("\"code\":403")
        .contains("the plugin of node \\\"worker-1\\\" may not write");
    assertThat(replica.ask(inventory("worker-1", "of-another-pod")))
        .as("a pod of the same name that is gone")
        .contains("\"code\":403");
  }

  @Test
  void podsGetTheirGateFromAControllerWithGatesOnly() throws Exception {
    cluster.objects.create(
        MUTATING,
        Json.parse(
            """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",
             "metadata":{"name":"gpudra-webhook"}, "webhooks": [
              {"name": "pods.example.com", "clientConfig": {"service": {"name": "s"}}}]}\
            """));
    Replica with = new Replica("a", "--gates");
    awaitServing(with);
    await(
        "the other configuration trusts it",
        () ->
            cluster
                .objects
                .get(MUTATING, "", "gpudra-webhook")
                .orElseThrow()
                .at("/webhooks/0/clientConfig/caBundle")
                .asText()
                .equals(caBundle(0)));

    assertThat(patch(with.ask(pod("[]"))))
        .isEqualTo(
            "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\","
                + "\"value\":[{\"name\":\"gpu.resource.example.com/granted\"}]}]");
    assertThat(with.ask(pod("[{\"name\": \"gpu.resource.example.com/granted\"}]")))
        .contains("\"allowed\":true")
        .doesNotContain("patch");
    assertThat(with.metrics.counter("webhook.changed").getCount()).isEqualTo(1);

    Replica without = new Replica("b");
    await("it serves", () -> without.webhook.hindrances().isEmpty());
    assertThat(without.ask(pod("[]"))).contains("\"allowed\":true").doesNotContain("patch");
  }

  private static String patch(String response) {
    String patch = Json.parse(response).at("/response/patch").asText();
    return new String(Base64.getDecoder().decode(patch), UTF_8);
  }

  private static String pod(String gates) {
    return """
    {"request": {"uid": "u", "operation": "CREATE", "namespace": "default",
      "kind": {"group": "", "kind": "Pod"},
      "object": {"spec": {"schedulingGates": %s, "containers": [{"name": "c"}],
        "resourceClaims": [{"name": "gpu", "source": {"resourceClaimName": "gpu"}}]}}}}\
    """
        .formatted(gates);
  }

  private static String inventory(String node, String podUid) {
    return """
    {"request": {"uid": "u", "operation": "UPDATE", "subResource": "status",
      "kind": {"group": "gpu.resource.example.com", "kind": "NodeInventory"},
      "userInfo": {"username": "system:serviceaccount:gpudra:gpudra-kubeletplugin", "extra": {
        "authentication.kubernetes.io/pod-name": ["plugin-x"],
        "authentication.kubernetes.io/pod-uid": ["%s"]}},
      "object": {"metadata": {"name": "%s"}}}}\
    """
        .formatted(podUid, node);
  }
}
