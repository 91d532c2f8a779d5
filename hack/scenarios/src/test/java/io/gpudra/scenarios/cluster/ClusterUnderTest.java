package io.gpudra.scenarios.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.simulator.http.RequestLog;
import io.gpudra.simulator.kubelet.RunningContainer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * A cluster with the shipped binaries for the tests of one class; prints the ends of their logs
 * when a test fails.
 */
final class ClusterUnderTest implements BeforeAllCallback, AfterAllCallback, TestWatcher {
  static final String DRA = "/apis/resource.k8s.io/v1alpha2/namespaces/";
  static final Duration LIMIT = Duration.ofSeconds(60);
  private static final JsonMapper JSON = new JsonMapper();
  private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete");

  private final Plan plan;
  private final AtExit atExit = AtExit.create();
  private @Nullable LocalCluster started;
  private @Nullable ClusterClient client;

  ClusterUnderTest(Plan plan) {
    this.plan = plan;
  }

  static ClusterUnderTest withNodes(ImmutableMap<String, String> nodes) {
    return new ClusterUnderTest(new Plan(nodes, 1, 0));
  }

  static Installation installation() {
    return new Installation(Path.of("../..").toAbsolutePath().normalize());
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    String name = context.getRequiredTestClass().getSimpleName();
    started = LocalCluster.start(plan, installation().workplace(name), atExit, what -> {});
    client = new ClusterClient(started.server());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    atExit.close();
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    System.out.println(cluster().children().logTails());
  }

  LocalCluster cluster() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  ClusterClient client() {
    if (client == null) {
      throw new IllegalStateException("not started");
    }
    return client;
  }

  /** Creates all objects of a text. */
  void create(String... manifests) throws IOException, InterruptedException {
    for (String manifest : manifests) {
      for (ObjectNode object : Manifests.parse(manifest, "test")) {
        client().create(object);
      }
    }
  }

  /** Waits as long as tests wait. */
  void until(String what, Callable<Boolean> condition) {
    await(what).atMost(LIMIT).pollInterval(Duration.ofMillis(30)).until(condition);
  }

  Optional<JsonNode> pod(String namespace, String name) throws IOException, InterruptedException {
    return client().find("/api/v1/namespaces/" + namespace + "/pods/" + name);
  }

  Optional<JsonNode> claim(String namespace, String name) throws IOException, InterruptedException {
    return client().find(DRA + namespace + "/resourceclaims/" + name);
  }

  boolean isPhase(String namespace, String pod, String phase)
      throws IOException, InterruptedException {
    return pod(namespace, pod)
        .filter(p -> p.at("/status/phase").asText().equals(phase))
        .isPresent();
  }

  boolean isAllocated(String namespace, String claim) throws IOException, InterruptedException {
    return claim(namespace, claim).filter(c -> c.at("/status/allocation").isObject()).isPresent();
  }

  void delete(String namespace, String pod) throws IOException, InterruptedException {
    client().delete("/api/v1/namespaces/" + namespace + "/pods/" + pod);
  }

  void deleteClaim(String namespace, String claim) throws IOException, InterruptedException {
    client().delete(DRA + namespace + "/resourceclaims/" + claim);
  }

  void deleteByForce(String namespace, String pod) throws IOException, InterruptedException {
    client().delete("/api/v1/namespaces/" + namespace + "/pods/" + pod + "?gracePeriodSeconds=0");
  }

  /** UUIDs of the GPUs that a running container of the pod sees. */
  Set<String> seenBy(String namespace, String pod) {
    Set<String> uuids = new TreeSet<>();
    cluster().doubles().containers().stream()
        .filter(RunningContainer::running)
        .filter(c -> c.identity().namespace().equals(namespace) && c.identity().pod().equals(pod))
        .forEach(
            c ->
                c.environment().entrySet().stream()
                    .filter(variable -> variable.getKey().matches("GPU_DEVICE_\\d+_UUID"))
                    .forEach(variable -> uuids.add(variable.getValue())));
    return uuids;
  }

  /** UUIDs of the GPUs that the claim's handle names. */
  Set<String> granted(String namespace, String claim) throws IOException, InterruptedException {
    Set<String> uuids = new TreeSet<>();
    Optional<JsonNode> object = claim(namespace, claim);
    if (object.isPresent()) {
      handle(object.get()).path("devices").forEach(d -> uuids.add(d.path("uuid").asText()));
    }
    return uuids;
  }

  private static JsonNode handle(JsonNode claim) throws JsonProcessingException {
    return JSON.readTree(claim.at("/status/allocation/resourceHandles/0/data").asText("{}"));
  }

  /** Requests of the controllers, but watches, lists, leases and events. */
  List<RequestLog.Entry> controllerCalls(Predicate<RequestLog.Entry> kind) {
    return cluster().doubles().requests().all().stream()
        .filter(entry -> entry.userAgent().startsWith("gpudra-controller"))
        .filter(entry -> !Set.of("watch", "list").contains(entry.verb()))
        .filter(entry -> !Set.of("leases", "events").contains(entry.resource()))
        .filter(kind)
        .toList();
  }

  /** Writes of the controllers in a namespace. */
  long writesIn(String namespace) {
    return controllerCalls(
            entry -> WRITES.contains(entry.verb()) && entry.namespace().equals(namespace))
        .size();
  }

  /** The claims a node still holds devices for, each as {@code namespace/name}. */
  Set<String> prepared(String node) throws IOException, InterruptedException {
    Set<String> names = new TreeSet<>();
    client()
        .get("/apis/gpu.resource.example.com/v1alpha1/nodeinventories/" + node)
        .at("/status/preparedClaims")
        .forEach(
            claim ->
                names.add(claim.path("namespace").asText() + "/" + claim.path("name").asText()));
    return names;
  }
}
