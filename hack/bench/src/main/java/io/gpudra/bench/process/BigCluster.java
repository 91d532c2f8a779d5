package io.gpudra.bench.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.ApiServer;
import io.gpudra.simulator.http.Kubeconfig;
import io.gpudra.simulator.server.ObjectServer;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A simulated API server with a big cluster, in its own process. Every GPU is allocated and
 * prepared, and many pods or claims wait.
 */
final class BigCluster {
  static final int NODES = 5000;
  static final int GPUS_PER_NODE = 8;

  /** MIG devices of a partitioned GPU. */
  static final int SLICES = 7;

  /** One node in this many has partitioned GPUs. */
  static final int CUT = 10;

  static final int GRANTED =
      NODES / CUT * GPUS_PER_NODE * SLICES + (NODES - NODES / CUT) * GPUS_PER_NODE;
  static final int WAITING = 10_000;

  /** Maximum number of potential nodes of a scheduler. */
  private static final int OFFERED = 128;

  private static final String MEMORY = "-Xmx6g";
  private static final int NAMESPACES = 50;
  private static final int WISHES_OF_A_NAMESPACE = 2;
  private static final int HEARTBEAT_SECONDS = 600;
  private static final int SHORT_HISTORY = 1000;

  /** Different sizes of pods at the gate. */
  private static final int SIZES = 100;

  /** Warm-ups of the big cluster; smaller clusters need more for the same number of objects. */
  private static final int WARM_UPS = 3;

  private static final ImmutableList<String> BIG_LISTS =
      ImmutableList.of(
          "/api/v1/nodes",
          "/api/v1/pods",
          "/apis/" + GpuApi.GROUP_VERSION + "/" + NodeInventory.PLURAL,
          "/apis/resource.k8s.io/v1alpha2/resourceclaims",
          "/apis/resource.k8s.io/v1alpha2/podschedulingcontexts");
  private static final String CLASS = "gpus";
  private static final String PARAMETERS = "one-big";
  private static final Resource INVENTORIES = ours(NodeInventory.PLURAL);

  /** Kinds of waiting objects. */
  enum Waiting {
    /** Pods with potential nodes, all of which are reported as unsuitable. */
    PODS,
    /** Pods at the gate, of a hundred different sizes. */
    GATED_PODS,
    /** Immediate claims with a hundred different requests. */
    CLAIMS
  }

  /**
   * Size of the cluster.
   *
   * @param nodes of eight GPUs each
   * @param waiting pods or claims
   */
  record Size(int nodes, int waiting) {
    static final Size BIG = new Size(NODES, WAITING);
  }

  private final ObjectServer server;
  private final Size size;

  private BigCluster(ObjectServer server, Size size) {
    this.server = server;
    this.size = size;
  }

  /** Starts it; returns when all objects exist and the kubeconfig is written. */
  static Subprocess start(Workbench bench, Path place, Path kubeconfig, Waiting waiting)
      throws IOException, InterruptedException {
    return start(bench, place, kubeconfig, waiting, Size.BIG);
  }

  /** The same with another size. */
  static Subprocess start(Workbench bench, Path place, Path kubeconfig, Waiting waiting, Size size)
      throws IOException, InterruptedException {
    Files.deleteIfExists(kubeconfig);
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add(Binary.java(), MEMORY)
            .add("-cp", System.getProperty("java.class.path", ""), BigCluster.class.getName())
            .add(bench.root().toString(), kubeconfig.toString(), waiting.name())
            .add("" + size.nodes(), "" + size.waiting())
            .build();
    Subprocess server = Subprocess.start(command, place.resolve("server.log"));
    Endpoint.await(() -> Files.exists(kubeconfig), "the big cluster", server);
    return server;
  }

  /** Serves until it is killed; writes the kubeconfig when all objects exist. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path kubeconfig = Path.of(arguments[1]);
    Waiting waiting = Waiting.valueOf(arguments[2]);
    Size size = new Size(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
    ObjectServer server =
        new ObjectServer(Clock.systemUTC(), new SplittableRandom(1), SHORT_HISTORY);
    SmallCluster.define(server, Path.of(arguments[0]));
    new BigCluster(server, size).fill(waiting);
    serialise(server.store());
    Path unfinished = kubeconfig.resolveSibling("unfinished");
    URI url = ApiServer.start(server, 0).url();
    warmUp(url, WARM_UPS * NODES / size.nodes());
    Kubeconfig.write(unfinished, url);
    Files.move(unfinished, kubeconfig, StandardCopyOption.ATOMIC_MOVE);
    new CountDownLatch(1).await();
  }

  /** The measurement should not include the JIT compilation of the simulator. */
  private static void warmUp(URI url, int rounds) throws IOException, InterruptedException {
    HttpClient http = HttpClient.newHttpClient();
    for (int round = 0; round < rounds; round++) {
      for (String list : BIG_LISTS) {
        var unused =
            http.send(HttpRequest.newBuilder(url.resolve(list)).build(), BodyHandlers.discarding());
      }
    }
  }

  /** Whether the node's GPUs are partitioned, so that they cannot serve whole-GPU claims. */
  static boolean isCut(int node) {
    return node % CUT == CUT - 1;
  }

  static ImmutableList<String> namespaces() {
    return IntStream.range(0, NAMESPACES)
        .mapToObj(BigCluster::namespace)
        .collect(ImmutableList.toImmutableList());
  }

  /** Path of the node's inventory. */
  static String inventoryPath(int number) {
    return "/apis/%s/%s/%s".formatted(GpuApi.GROUP_VERSION, NodeInventory.PLURAL, node(number));
  }

  private void fill(Waiting waiting) {
    write(
        Resource.CLASSES,
        Json.object("metadata", Json.object("name", CLASS), "driverName", SampleNode.DRIVER));
    for (int i = 0; i < NAMESPACES; i++) {
      write(Resource.NAMESPACES, Json.object("metadata", Json.object("name", namespace(i))));
      write(ours(GpuClaimParameters.PLURAL), parameters(namespace(i), PARAMETERS, "40Gi"));
      for (int wish = 0; wish < WISHES_OF_A_NAMESPACE; wish++) {
        String memory = (1_000 + i * WISHES_OF_A_NAMESPACE + wish) + "Mi";
        write(ours(GpuClaimParameters.PLURAL), parameters(namespace(i), wish(wish), memory));
      }
    }
    for (int i = 0; i < size.nodes(); i++) {
      fillNode(i);
    }
    for (int i = 0; i < size.waiting(); i++) {
      switch (waiting) {
        case PODS -> await(i);
        case GATED_PODS -> awaitAtGate(i);
        case CLAIMS -> awaitNow(i);
      }
    }
  }

  /** Serialises all objects, so that the first list is as fast as later ones. */
  private static void serialise(Store store) {
    Stream.of(Resource.NODES, Resource.PODS, INVENTORIES, Resource.CLAIMS, Resource.CONTEXTS)
        .flatMap(resource -> store.list(resource, "").stream())
        .forEach(Stored::json);
  }

  private static Resource ours(String plural) {
    return new Resource(GpuApi.GROUP, GpuApi.VERSION, plural);
  }

  private static String namespace(int number) {
    return "team-%02d".formatted(number % NAMESPACES);
  }

  private static String node(int number) {
    return "worker-%04d.example.com".formatted(number);
  }

  private static ObjectNode named(String namespace, String name) {
    return Json.object("metadata", Json.object("namespace", namespace, "name", name));
  }

  private static String wish(int number) {
    return "wish-" + number;
  }

  private static ObjectNode parameters(String namespace, String name, String memory) {
    ObjectNode parameters = named(namespace, name);
    parameters.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", GpuClaimParameters.KIND);
    String cel = "device.memory >= quantity('%s')".formatted(memory);
    return parameters.set("spec", Json.object("count", 1, "cel", cel));
  }

  private void fillNode(int number) {
    int slices = isCut(number) ? SLICES : 0;
    SampleNode plugin = new SampleNode(node(number), GPUS_PER_NODE, slices, HEARTBEAT_SECONDS);
    ObjectNode node = Json.object("metadata", Json.object("name", plugin.name()));
    ObjectNode ready = Json.object("type", "Ready", "status", "True");
    ObjectNode allocatable = Json.object("cpu", "128", "memory", "1024Gi", "pods", "110");
    write(
        Resource.NODES,
        node,
        Json.object("conditions", List.of(ready), "allocatable", allocatable));
    ImmutableList<PreparedClaim> prepared =
        plugin.devices().stream()
            .map(device -> grant(number, device, plugin))
            .collect(ImmutableList.toImmutableList());
    ObjectNode inventory = Json.object("metadata", Json.object("name", plugin.name()));
    inventory.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", NodeInventory.KIND);
    write(INVENTORIES, inventory, Json.MAPPER.valueToTree(plugin.status(prepared)));
  }

  /** Adds an allocated claim with a running pod. */
  private PreparedClaim grant(int node, GrantedDevice device, SampleNode plugin) {
    String name = "training-%04d-%s-gpu-x7k2p".formatted(node, device.name());
    ClaimRef ref = new ClaimRef(namespace(node), name);
    ObjectNode claim = claim(ref, PARAMETERS, "WaitForFirstConsumer");
    claim.withArray("/metadata/finalizers").add(SampleNode.DRIVER + "/deletion-protection");
    ObjectNode created = write(Resource.CLAIMS, claim);
    ClaimUid uid = new ClaimUid(Json.text(created, "metadata.uid"));
    Grant grant =
        new Grant(
            uid, plugin.name(), 7, OptionalLong.of(1), Instant.now(), ImmutableList.of(device));
    status(Resource.CLAIMS, created, granted(grant, ref));
    return new PreparedClaim(uid, ref, ImmutableList.of(device.part()), Optional.empty());
  }

  private static ObjectNode claim(ClaimRef ref, String parameters, String mode) {
    ObjectNode claim = named(ref.namespace(), ref.name());
    ObjectNode parametersRef =
        Json.object("apiGroup", GpuApi.GROUP, "kind", GpuClaimParameters.KIND, "name", parameters);
    return claim.set(
        "spec",
        Json.object(
            "resourceClassName", CLASS,
            "allocationMode", mode,
            "parametersRef", parametersRef));
  }

  private static ObjectNode granted(Grant grant, ClaimRef ref) {
    ObjectNode onlyThere =
        Json.object("key", "metadata.name", "operator", "In", "values", List.of(grant.node()));
    ObjectNode term = Json.object("matchFields", List.of(onlyThere));
    ObjectNode handle =
        Json.object("driverName", SampleNode.DRIVER, "data", HandleCodec.encode(grant));
    ObjectNode allocation =
        Json.object(
            "availableOnNodes", Json.object("nodeSelectorTerms", List.of(term)),
            "resourceHandles", List.of(handle),
            "shareable", true);
    ObjectNode pod =
        Json.object("resource", "pods", "name", ref.name(), "uid", "pod-of-" + grant.claim());
    return Json.object(
        "driverName", SampleNode.DRIVER, "allocation", allocation, "reservedFor", List.of(pod));
  }

  private static ClaimRef waiting(int number) {
    return new ClaimRef(namespace(number), "waiting-%05d".formatted(number));
  }

  /** A pod with a claim, which is added. */
  private ObjectNode pod(int number) {
    ClaimRef ref = waiting(number);
    write(Resource.CLAIMS, claim(ref, PARAMETERS, "WaitForFirstConsumer"));
    ObjectNode source = Json.object("resourceClaimName", ref.name());
    return named(ref.namespace(), ref.name())
        .set(
            "spec",
            Json.object(
                "containers", List.of(Json.object("name", "main", "image", "busybox")),
                "resourceClaims", List.of(Json.object("name", "gpu", "source", source))));
  }

  /** Adds a waiting pod at the gate. */
  private void awaitAtGate(int number) {
    ObjectNode pod = pod(number);
    ObjectNode gate = Json.object("name", SampleNode.DRIVER + "/granted");
    ((ObjectNode) pod.path("spec")).putArray("schedulingGates").add(gate);
    String memory = (1 + number % SIZES) + "Gi";
    ObjectNode requests = Json.object("cpu", "4", "memory", memory);
    ((ObjectNode) pod.at("/spec/containers/0")).set("resources", Json.object("requests", requests));
    write(Resource.PODS, pod, Json.object("phase", "Pending"));
  }

  /** Adds a waiting pod whose potential nodes are all unsuitable. */
  private void await(int number) {
    ClaimRef ref = waiting(number);
    String name = ref.name();
    String uid = Json.text(write(Resource.PODS, pod(number)), "metadata.uid");
    ObjectNode context = named(ref.namespace(), name);
    ObjectNode owner = Json.object("apiVersion", "v1", "kind", "Pod", "name", name, "uid", uid);
    context.withArray("/metadata/ownerReferences").add(owner.put("controller", true));
    List<String> offered =
        Stream.iterate(number, i -> i + 37)
            .limit(Math.min(OFFERED, size.nodes()))
            .map(i -> node(i % size.nodes()))
            .toList();
    context.set("spec", Json.object("potentialNodes", offered));
    ObjectNode told = Json.object("name", "gpu", "unsuitableNodes", offered);
    write(Resource.CONTEXTS, context, Json.object("resourceClaims", List.of(told)));
  }

  /** Adds a waiting Immediate claim. */
  private void awaitNow(int number) {
    int wish = number / NAMESPACES % WISHES_OF_A_NAMESPACE;
    write(Resource.CLAIMS, claim(waiting(number), wish(wish), "Immediate"));
  }

  private void write(Resource resource, ObjectNode object, ObjectNode status) {
    status(resource, write(resource, object), status);
  }

  private ObjectNode write(Resource resource, ObjectNode object) {
    return server
        .create(target(resource, object, false), object, by("kube-controller-manager"))
        .object()
        .deepCopy();
  }

  private void status(Resource resource, ObjectNode created, ObjectNode status) {
    created.set("status", status);
    server.update(target(resource, created, true), created, by("gpudra"));
  }

  private Target target(Resource resource, ObjectNode object, boolean status) {
    return new Target(server.kinds().find(resource).orElseThrow(), Store.Key.of(object), status);
  }

  /** With managed fields, so that objects are as long as real ones. */
  private static WriteOptions by(String manager) {
    return new WriteOptions(manager, false, false, false);
  }
}
