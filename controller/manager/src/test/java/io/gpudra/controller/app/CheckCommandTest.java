package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.http.RequestLog.Entry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command on clusters that are well, damaged by hand, and out of reach. */
class CheckCommandTest {
  private static final int LISTS_OF_A_LOOK = 7;
  private static final String OURS = Cluster.DRIVER + "/deletion-protection";
  private static final String INVENTORIES = "nodeinventories";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path directory;
  private Cluster cluster;

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private int check(String... options) throws IOException {
    return execute(cluster.kubeconfig(directory), options);
  }

  private int execute(Path kubeconfig, String... options) {
    return ControllerMain.command()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(
            Stream.concat(Stream.of("check", "--kubeconfig=" + kubeconfig), Stream.of(options))
                .toArray(String[]::new));
  }

  /** What was found, as {@code kind node claims devices}. */
  private List<String> found() {
    JsonNode findings = Json.parse(out.toString()).path("findings");
    return StreamSupport.stream(findings.spliterator(), false)
        .map(
            finding ->
                "%s %s %s %s"
                    .formatted(
                        finding.path("kind").asText(),
                        finding.path("node").asText(),
                        finding.path("claims").findValuesAsText("name").stream().sorted().toList(),
                        finding.path("devices")))
        .toList();
  }

  private ObjectNode claim(String name, String className, String... finalizers) {
    ObjectNode claim =
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"default","name":"%s"},
             "spec":{"resourceClassName":"%s"}}\
            """
                .formatted(name, className));
    for (String finalizer : finalizers) {
      claim.withObject("/metadata").withArray("finalizers").add(finalizer);
    }
    return cluster.objects.create(Resource.CLAIMS, claim);
  }

  private static String uid(ObjectNode object) {
    return object.at("/metadata/uid").asText();
  }

  private static String handle(String uid, String node, String device) {
    return Json.parse("{\"v\":1,\"at\":\"2026-11-21T08:00:00Z\",\"epoch\":1}")
        .put("claim", uid)
        .put("node", node)
        .set(
            "devices",
            Json.parse("{\"d\":[{\"name\":\"x\",\"uuid\":\"%s\"}]}".formatted(device)).path("d"))
        .toString();
  }

  private ObjectNode grant(ObjectNode claim, String node, String device) {
    return allocate(claim, Cluster.DRIVER, node, handle(uid(claim), node, device));
  }

  private ObjectNode allocate(ObjectNode claim, String driver, String node, String data) {
    ObjectNode allocation =
        claim.withObject("/status").put("driverName", driver).withObject("/allocation");
    allocation.withArray("resourceHandles").addObject().put("driverName", driver).put("data", data);
    if (!node.isEmpty()) {
      allocation.set(
          "availableOnNodes",
          Json.parse(
              """
              {"nodeSelectorTerms":[{"matchFields":[
                {"key":"metadata.name","operator":"In","values":["%s"]}]}]}\
              """
                  .formatted(node)));
    }
    return cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  private void prepare(String node, String uid, String claim, String device) {
    Resource inventories = new Resource(Cluster.DRIVER, "v1alpha1", INVENTORIES);
    ObjectNode inventory = cluster.objects.get(inventories, "", node).orElseThrow();
    inventory
        .withObject("/status")
        .withArray("preparedClaims")
        .addObject()
        .put("uid", uid)
        .put("namespace", "default")
        .put("name", claim)
        .withArray("devices")
        .add(device);
    cluster.objects.updateStatus(inventories, inventory);
  }

  private void silence(String node) {
    Resource inventories = new Resource(Cluster.DRIVER, "v1alpha1", INVENTORIES);
    ObjectNode inventory = cluster.objects.get(inventories, "", node).orElseThrow();
    inventory
        .withObject("/status")
        .put("heartbeatSeconds", 60)
        .put("heartbeatTime", Instant.now().minus(Duration.ofHours(1)).toString());
    cluster.objects.updateStatus(inventories, inventory);
  }

  private void addClass(String name, String driver, String parameters) {
    ObjectNode resourceClass =
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass",
             "metadata":{"name":"%s"},"driverName":"%s"}\
            """
                .formatted(name, driver));
    if (!parameters.isEmpty()) {
      resourceClass
          .putObject("parametersRef")
          .put("apiGroup", Cluster.DRIVER)
          .put("kind", "GpuClassParameters")
          .put("name", parameters);
    }
    cluster.objects.create(Resource.CLASSES, resourceClass);
  }

  private void damage() {
    List.of("worker-1", "worker-2", "worker-3", "worker-4").forEach(cluster::addNode);
    addClass("odd", Cluster.DRIVER, "nowhere");
    addClass("picky", Cluster.DRIVER, "for-others");
    cluster.objects.create(
        new Resource(Cluster.DRIVER, "v1alpha1", "gpuclassparameters"),
        Json.parse(
            """
            {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"GpuClassParameters",
             "metadata":{"name":"for-others"},
             "spec":{"namespaceSelector":{"matchLabels":{"team":"others"}}}}\
            """));
    addClass("foreign", "other.example.com", "nowhere");
    grant(claim("twice-a", "gpu", OURS), "worker-1", "GPU-0");
    grant(claim("twice-b", "gpu", OURS), "worker-1", "GPU-0");
    grant(claim("lost", "gpu", OURS), "worker-1", "GPU-9");
    prepare("worker-1", "who-was-it", "gone", "gpu-1");
    allocate(claim("newer", "gpu", OURS), Cluster.DRIVER, "worker-2", "{\"v\":7}");
    allocate(claim("nowhere", "gpu", OURS), Cluster.DRIVER, "", "what?");
    prepare("worker-3", uid(claim("given-back", "gpu")), "given-back", "gpu-0");
    grant(claim("unguarded", "gpu"), "worker-3", "GPU-1");
    grant(claim("homeless", "gpu", OURS), "worker-9", "GPU-0");
    allocate(
        claim("stray", "gpu", OURS), Cluster.DRIVER, "worker-4", handle("u", "worker-4", "GPU-0"));
    twoHandles();
    claim("left", "gpu", OURS);
    claim("odd", "odd");
    claim("unserved", "picky");
    claim("foreign", "foreign", "other.example.com/deletion-protection");
    allocate(claim("foreign-too", "foreign"), "other.example.com", "worker-1", "GPU-0");
    silence("worker-4");
  }

  private void twoHandles() {
    ObjectNode claim = claim("two-handles", "gpu", OURS);
    claim
        .withObject("/status/allocation")
        .withArray("resourceHandles")
        .addObject()
        .put("driverName", Cluster.DRIVER);
    grant(claim, "worker-3", "GPU-0");
  }

  @Test
  void eachDamageIsFoundOnceAndNothingIsChanged() throws IOException {
    damage();
    long before = cluster.objects.revision();
    cluster.server.requests().clear();

    int code = check("--output=json", "--settle=10ms");

    assertThat(code).isEqualTo(1);
    assertThat(found())
        .containsExactlyInAnyOrder(
            "DeviceGrantedTwice worker-1 [twice-a, twice-b] [\"GPU-0\"]",
            "DeviceLost worker-1 [lost] [\"GPU-9\"]",
            "ClaimOrphaned worker-1 [gone] [\"GPU-1\"]",
            "UnreadableHandle worker-2 [newer] []",
            "UnreadableHandle  [nowhere] []",
            "UnreadableHandle  [two-handles] []",
            "DeviceDraining worker-3 [given-back] [\"GPU-0\"]",
            "FinalizerMissing  [unguarded] []",
            "NodeGone worker-9 [homeless] [\"GPU-0\"]",
            "StrayHandle worker-4 [stray] [\"GPU-0\"]",
            "FinalizerLeft  [left] []",
            "ParametersNotFound  [odd] []",
            "NamespaceNotAllowed  [unserved] []",
            "NodeStale worker-4 [] []");
    assertThat(cluster.objects.revision()).isEqualTo(before);
    assertThat(cluster.server.requests().all())
        .hasSize(2 * LISTS_OF_A_LOOK)
        .extracting(Entry::verb)
        .containsOnly("list");
  }

  @Test
  void theTextSaysWhatIsWrongWithWhichObjectsAndWhatToDo() throws IOException {
    cluster.addNode("worker-1");
    ObjectNode lost = grant(claim("lost", "gpu", OURS), "worker-1", "GPU-9");

    assertThat(check("--settle=0s")).isEqualTo(1);

    assertThat(out)
        .hasToString(
            """
            DeviceLost on worker-1
              claim:  default/lost uid %s
              device: GPU-9
              what:   allocated, but not listed in the node's inventory
              to do:  Check on the node why the device is missing. If it will not come back, delete the pods that use the claim and then the claim.

            findings: 1 (driver gpu.resource.example.com, nodes: 1, claims: 1)
            """
                .formatted(uid(lost)));
  }

  @Test
  void aClusterThatIsWellHasNoFindings() throws IOException {
    cluster.addNode("worker-1");
    ObjectNode claim = grant(claim("train", "gpu", OURS), "worker-1", "GPU-0");
    prepare("worker-1", uid(claim), "train", "gpu-0");
    claim("waiting", "gpu");

    assertThat(check()).isZero();

    assertThat(out)
        .hasToString("findings: 0 (driver gpu.resource.example.com, nodes: 1, claims: 2)\n");
  }

  @Test
  void whatIsGoneAtTheSecondLookIsNoFinding() throws Exception {
    cluster.addNode("worker-1");
    ObjectNode claim = claim("being-allocated", "gpu", OURS);
    Thread allocation =
        new Thread(
            () -> {
              Awaitility.await("the first look")
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> cluster.server.requests().all().size() >= LISTS_OF_A_LOOK);
              grant(claim, "worker-1", "GPU-0");
            });
    allocation.start();

    int code = check("--settle=3s");
    allocation.join();

    assertThat(code).isZero();
    assertThat(cluster.server.requests().count(r -> r.resource().equals("nodes"))).isEqualTo(2);
  }

  @Test
  void aClusterThatCannotBeReadIsNotSaidToBeWell() throws IOException {
    cluster.server.faults().inject(new Match("list", "nodeinventories", ""), Fault.answer(500), 1);

    assertThat(check()).isEqualTo(2);
    assertThat(execute(directory.resolve("none"))).isEqualTo(2);
    assertThat(check("--output=xml")).isEqualTo(2);
    assertThat(check("--driver-name=Gpu")).isEqualTo(2);

    assertThat(err.toString())
        .contains(
            "nodeinventories answered 500",
            "none",
            "--output",
            "\"Gpu\" is no DNS subdomain in lower case");
    assertThat(out).hasToString("");
  }
}
