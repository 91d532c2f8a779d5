package io.gpudra.scenarios.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Symptoms of {@code docs/operate/troubleshooting.md}: each is made, the command says the cause,
 * the remedy is done, and the pod runs.
 */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class SymptomsTest {
  private static final Path COMMAND = Path.of("../../controller/target/kubectl-gpudra");
  private static final String NODE = "worker-0";

  /** A plugin that is silent is known to be after five heartbeats, 50 s. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Plan PLAN =
      new Plan(
          ImmutableMap.of(NODE, "latest"),
          1,
          0,
          Duration.ofSeconds(10),
          Timings.QUICK.containerStop(),
          Plan.Lease.SHORT,
          Profile.V1_30,
          ImmutableList.of());

  @RegisterExtension static final ClusterUnderTest cluster = new ClusterUnderTest(PLAN);

  @AfterEach
  void leaveNothing() throws Exception {
    for (var pod : cluster.client().get("/api/v1/pods").path("items")) {
      cluster.delete(pod.at("/metadata/namespace").asText(), pod.at("/metadata/name").asText());
    }
    cluster.untilNone("prepared", () -> cluster.prepared(NODE));
  }

  @Test
  void moreIsAskedForThanAnyNodeHas() throws Exception {
    given("too-many", "{count: 9}");
    says("largest node has 8 GPUs, 9 wanted", "explain", "pod", "-n", "too-many");
    says("NothingMatches", "doctor");
    wants("too-many", "{count: 1}");
    runs("too-many", "pod");
  }

  @Test
  void noGpuMeetsTheCondition() throws Exception {
    given("too-strict", "{cel: device.memory > quantity('900Gi')}");
    says("is true for no GPU", "explain", "pod", "-n", "too-strict");
    wants("too-strict", "{cel: device.memory > quantity('9Gi')}");
    runs("too-strict", "pod");
  }

  @Test
  void othersHaveWhatIsAskedFor() throws Exception {
    given("in-use", "{count: 8}");
    runs("in-use", "pod");
    cluster.create(
        Given.claimWith("in-use", "next", "wanted"), Given.pod("in-use", "waiting", "next"));
    says("release of in-use/gpu (held for ", "explain", "waiting", "-n", "in-use");
    cluster.delete("in-use", "pod");
    runs("in-use", "waiting");
  }

  @Test
  void aConditionHasAMistake(@TempDir Path directory) throws Exception {
    String mistaken = "{cel: device.memroy > quantity('9Gi')}";
    Path file = directory.resolve("wanted.yaml");
    Files.writeString(file, Given.parameters("mistaken", "wanted", mistaken));
    String said = "unknown device attribute \"memroy\", did you mean \"memory\"?";
    says(said, "lint", "-f", file.toString());
    given("mistaken", mistaken);
    says(said, "explain", "pod", "-n", "mistaken");
    wants("mistaken", "{cel: device.memory > quantity('9Gi')}");
    runs("mistaken", "pod");
  }

  @Test
  void parametersAreNotThere() throws Exception {
    cluster.create(
        Given.namespace("forgotten"),
        Given.claimWith("forgotten", "gpu", "wanted"),
        Given.pod("forgotten", "pod", "gpu"));
    says("GpuClaimParameters \"wanted\" not found", "explain", "pod", "-n", "forgotten");
    cluster.create(Given.parameters("forgotten", "wanted", "{count: 1}"));
    runs("forgotten", "pod");
  }

  @Test
  void aClassIsNotThere() throws Exception {
    cluster.create(
        Given.namespace("no-class"),
        Given.claim("no-class", "gpu", "late.example.com"),
        Given.pod("no-class", "pod", "gpu"));
    says("ResourceClass \"late.example.com\" not found", "explain", "pod", "-n", "no-class");
    cluster.create(
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: late.example.com}
        driverName: gpu.resource.example.com
        """);
    runs("no-class", "pod");
  }

  @Test
  void aClassIsForOtherNamespaces() throws Exception {
    cluster.create(
        """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuClassParameters
        metadata: {name: research}
        spec: {namespaceSelector: {matchLabels: {team: research}}}
        ---
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: research.example.com}
        driverName: gpu.resource.example.com
        parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClassParameters, name: research}
        """,
        Given.namespace("outsiders"),
        Given.claim("outsiders", "gpu", "research.example.com"),
        Given.pod("outsiders", "pod", "gpu"));
    says("is not for namespace \"outsiders\"", "explain", "pod", "-n", "outsiders");
    change("/api/v1/namespaces/outsiders", "{metadata: {labels: {team: research}}}");
    runs("outsiders", "pod");
  }

  @Test
  void gpusHaveATaint() throws Exception {
    String inventory = ClusterProbe.INVENTORIES + "/" + NODE;
    change(
        inventory,
        "{spec: {taints: [{device: '*', key: maintenance, effect: NoSchedule, reason: new fans}]}}");
    try {
      cluster.until("the controller counts them", SymptomsTest::eightAreTainted);
      given("tainted", "{count: 1}");
      says("8 GPUs: gpu-0 tainted maintenance (new fans)", "explain", "pod", "-n", "tainted");
    } finally {
      change(inventory, "{spec: {taints: null}}");
    }
    runs("tainted", "pod");
  }

  @Test
  void aPluginIsDead() throws Exception {
    given("silent", "{count: 1}");
    runs("silent", "pod");
    cluster.cluster().binaries().plugin(NODE).kill();
    try {
      cluster.delete("silent", "pod");
      says("InventoryStale", "doctor");
      assertThat(cluster.pod("silent", "pod")).as("its claim is still prepared").isPresent();
    } finally {
      cluster.cluster().binaries().startPlugin(NODE);
    }
    cluster.until("the pod is gone", () -> cluster.pod("silent", "pod").isEmpty());
  }

  @Test
  void noControllerLeads() throws Exception {
    cluster.cluster().binaries().controllers().get(0).kill();
    try {
      given("headless", "{count: 1}");
      says("NoController", "doctor");
    } finally {
      cluster.cluster().binaries().startController(0);
    }
    runs("headless", "pod");
  }

  @Test
  void aCustomResourceIsOfAnOlderRelease() throws Exception {
    String crd =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
            + "gpuclaimparameters.gpu.resource.example.com";
    ObjectNode old = (ObjectNode) cluster.client().get(crd);
    ((ObjectNode) old.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"))
        .remove("mode");
    cluster.client().put(crd, old);
    says("lacks spec.mode", "doctor");
    ObjectNode shipped = Manifests.read(Path.of("../../crds/gpuclaimparameters.yaml")).get(0);
    change(crd, shipped);
    says("nothing is wrong", "doctor");
  }

  private static void given(String namespace, String wanted) throws Exception {
    cluster.create(
        Given.namespace(namespace),
        Given.parameters(namespace, "wanted", wanted),
        Given.claimWith(namespace, "gpu", "wanted"),
        Given.pod(namespace, "pod", "gpu"));
  }

  private static void wants(String namespace, String wanted) throws Exception {
    change(
        "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuclaimparameters/wanted"
            .formatted(namespace),
        "{spec: %s}".formatted(wanted));
  }

  private static void change(String path, String yaml) throws Exception {
    change(path, Manifests.parse(yaml, "test").get(0));
  }

  private static void change(String path, ObjectNode object) throws Exception {
    cluster.client().patch(path, object);
  }

  private static boolean eightAreTainted() throws Exception {
    return LocalPages.metrics(cluster.cluster().binaries().controllers().get(0))
        .lines()
        .anyMatch(line -> line.startsWith("gpudra_gpus{") && line.endsWith("=\"tainted\"} 8.0"));
  }

  private static void runs(String namespace, String pod) {
    cluster.until("the pod runs", () -> cluster.isPhase(namespace, pod, "Running"));
  }

  /** Asks until it does: what has just happened is told once it is known. */
  private static void says(String cause, String... words) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(answer(words)).as(List.of(words).toString()).contains(cause));
  }

  private static String answer(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of(COMMAND.toRealPath().toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("KUBECONFIG", cluster.cluster().kubeconfig().toString());
    // Nowhere: what it keeps for the next time would take longer to make than all the tests.
    builder.environment().put("XDG_CACHE_HOME", "/dev/null");
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return new String(builder.start().getInputStream().readAllBytes(), UTF_8);
  }
}
