package io.gpudra.controller.dashboard;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * A cluster on an API server, written as controller and plugins would, and a page that shows it.
 */
final class Ground implements AutoCloseable {
  static final long GIB = 1L << 30;
  private static final Resource INVENTORIES =
      new Resource(Cluster.DRIVER, "v1alpha1", "nodeinventories");
  private static final String OURS = Cluster.DRIVER + "/deletion-protection";

  final Cluster cluster = new Cluster();
  private final HttpClients http =
      HttpClients.plain(
          cluster.server.url().toString(), Duration.ofSeconds(4), new MetricRegistry());

  Ground() throws IOException {}

  /** The page as it is served, but quicker to notice things. */
  Dashboard open() throws IOException {
    return open(PageServer.Limits.USUAL);
  }

  Dashboard open(PageServer.Limits limits) throws IOException {
    ClusterWatcher.Pace quick =
        new ClusterWatcher.Pace(Duration.ofMillis(500), Duration.ofSeconds(2));
    return Dashboard.open(
        http,
        new KubeSettings(Cluster.DRIVER, 30, Clock.systemUTC()),
        "default",
        new Dashboard.Settings(0, limits, quick, Duration.ZERO));
  }

  static String uuid(String node, int index) {
    return "GPU-" + node + "-" + index;
  }

  void node(String name, int gpus, String model, long memory) {
    cluster.objects.create(
        Resource.NODES,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"},
             "status":{"conditions":[{"type":"Ready","status":"True"}]}}\
            """
                .formatted(name)));
    ObjectNode inventory =
        cluster.objects.create(
            INVENTORIES,
            Json.parse(
                "{\"apiVersion\":\"%s/v1alpha1\",\"kind\":\"NodeInventory\",\"metadata\":{\"name\":\"%s\"}}"
                    .formatted(Cluster.DRIVER, name)));
    inventory.set(
        "status",
        Json.parse(
            """
            {"driverName":"%s","heartbeatTime":"%s","heartbeatSeconds":3600,
             "models":[{"name":"%s","nominalMemory":%d}],
             "conditions":[{"type":"Ready","status":"True","reason":"Serving"}]}\
            """
                .formatted(Cluster.DRIVER, Instant.now(), model, memory)));
    ArrayNode devices = inventory.withObject("/status").putArray("devices");
    IntStream.range(0, gpus)
        .forEach(
            i ->
                devices
                    .addObject()
                    .put("name", "gpu-" + i)
                    .put("uuid", uuid(name, i))
                    .put("index", i)
                    .put("model", model)
                    .put("memory", memory)
                    .put("mig", "Unsupported"));
    cluster.objects.updateStatus(INVENTORIES, inventory);
  }

  ObjectNode claim(String namespace, String name) {
    return cluster.objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"%s","name":"%s","finalizers":["%s"]},
             "spec":{"resourceClassName":"gpu"}}\
            """
                .formatted(namespace, name, OURS)));
  }

  void namespace(String name) {
    cluster.objects.create(
        Resource.NAMESPACES,
        Json.parse(
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}"
                .formatted(name)));
  }

  /** A new claim that has these GPUs of a node whole. */
  ObjectNode grant(String namespace, String name, String node, int... gpus) {
    return allocate(
        claim(namespace, name),
        node,
        IntStream.of(gpus)
            .mapToObj(i -> new GrantedDevice("gpu-" + i, uuid(node, i)))
            .collect(ImmutableList.toImmutableList()));
  }

  /** A new claim that has a share of a GPU. */
  ObjectNode share(String namespace, String name, String node, int gpu, long memory) {
    GrantedPart part = GrantFixture.part(uuid(node, gpu), new Part.Share(memory, 100));
    return allocate(
        claim(namespace, name),
        node,
        ImmutableList.of(new GrantedDevice("gpu-" + gpu, part, /* parent= */ false)));
  }

  private ObjectNode allocate(ObjectNode claim, String node, ImmutableList<GrantedDevice> devices) {
    Grant grant =
        new Grant(
            new ClaimUid(claim.at("/metadata/uid").asText()),
            node,
            1,
            OptionalLong.empty(),
            Instant.now().minusSeconds(7_300),
            devices);
    ObjectNode allocation =
        claim
            .withObject("/status")
            .put("driverName", Cluster.DRIVER)
            .withObject("/allocation")
            .put("shareable", false);
    allocation
        .withArray("resourceHandles")
        .addObject()
        .put("driverName", Cluster.DRIVER)
        .put("data", HandleCodec.encode(grant));
    allocation
        .withObject("/availableOnNodes")
        .withArray("nodeSelectorTerms")
        .addObject()
        .withArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .withArray("values")
        .add(node);
    return cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  /** Takes the grant back. */
  void release(String namespace, String name) {
    ObjectNode claim = cluster.objects.get(Resource.CLAIMS, namespace, name).orElseThrow();
    claim.withObject("/status").removeAll();
    cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  /** The node says that it has prepared this, for a claim that need not be there. */
  void prepare(String node, String namespace, String claim, String uid, int gpu) {
    changeStatus(
        node,
        status ->
            status
                .withArray("preparedClaims")
                .addObject()
                .put("uid", uid)
                .put("namespace", namespace)
                .put("name", claim)
                .withArray("devices")
                .add("gpu-" + gpu));
  }

  /** As a plugin that was last heard of an hour ago. */
  void silence(String node) {
    changeStatus(
        node,
        status ->
            status
                .put("heartbeatSeconds", 60)
                .put("heartbeatTime", Instant.now().minus(Duration.ofHours(1)).toString()));
  }

  private void changeStatus(String node, java.util.function.Consumer<ObjectNode> change) {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", node).orElseThrow();
    change.accept(inventory.withObject("/status"));
    cluster.objects.updateStatus(INVENTORIES, inventory);
  }

  /** An administrator keeps claims away from a GPU. */
  void taint(String node, int gpu, String reason) {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", node).orElseThrow();
    inventory
        .withObject("/spec")
        .withArray("taints")
        .addObject()
        .put("device", "gpu-" + gpu)
        .put("key", Cluster.DRIVER + "/cordon")
        .put("effect", "NoSchedule")
        .put("reason", reason);
    cluster.objects.update(INVENTORIES, inventory);
  }

  /** A pod that no node has been found for, with this claim. */
  void pendingPod(String namespace, String name, String claim) {
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s"},
             "spec":{"resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"%s"}}],
                     "containers":[{"name":"c","image":"i","resources":{"claims":[{"name":"gpu"}]}}]}}\
            """
                .formatted(namespace, name, claim)));
  }

  /** Says in a claim that this pod uses it. */
  void reserve(ObjectNode claim, String pod) {
    claim
        .withObject("/status")
        .withArray("reservedFor")
        .addObject()
        .put("resource", "pods")
        .put("name", pod)
        .put("uid", pod);
    cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  void quota(String namespace, String name, String hard) {
    cluster.objects.create(
        new Resource(Cluster.DRIVER, "v1alpha1", "gpuquotas"),
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuQuota",
             "metadata":{"namespace":"%s","name":"%s"},"spec":{"hard":%s}}\
            """
                .formatted(Cluster.DRIVER, namespace, name, hard)));
  }

  /** Some of everything there is to see. */
  void fill() {
    List.of("team-a", "team-b", "research").forEach(this::namespace);
    for (int i = 1; i <= 6; i++) {
      node("a100-" + i, 8, "NVIDIA A100-SXM4-80GB", 80 * GIB);
    }
    for (int i = 1; i <= 4; i++) {
      node("t4-" + i, 4, "Tesla T4", 15 * GIB);
    }
    reserve(grant("team-a", "train-llm", "a100-1", 0, 1, 2, 3, 4, 5, 6, 7), "train-llm-0");
    reserve(grant("team-a", "finetune", "a100-2", 0, 1, 2, 3), "finetune-0");
    reserve(grant("research", "sweep-0", "a100-3", 0), "sweep-0");
    grant("research", "sweep-1", "a100-3", 1);
    grant("research", "sweep-2", "a100-3", 2);
    grant("team-b", "lost-one", "a100-4", 9);
    share("team-b", "notebook-anna", "t4-1", 0, 4 * GIB);
    share("team-b", "notebook-ben", "t4-1", 0, 5 * GIB);
    share("team-b", "notebook-chi", "t4-1", 1, 12 * GIB);
    prepare("a100-4", "team-b", "yesterday", "0000-given-back", 3);
    taint("a100-5", 7, "XID 79, waits for a reset");
    grant("research", "on-a-silent-node", "t4-4", 0);
    silence("t4-4");
    claim("team-b", "big-job");
    pendingPod("team-b", "big-job-0", "big-job");
    claim("team-a", "eval");
    pendingPod("team-a", "eval-7f9c", "eval");
    quota("team-a", "all", "{\"gpus\":\"16\",\"memory\":\"2Ti\"}");
    quota("research", "few", "{\"gpus\":\"4\"}");
  }

  @Override
  public void close() {
    http.close();
    cluster.close();
  }
}
