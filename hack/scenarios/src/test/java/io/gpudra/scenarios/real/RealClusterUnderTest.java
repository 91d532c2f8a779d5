package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.cluster.ClusterProbe;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.cluster.HolderWatch;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.process.Children;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * The cluster of {@code hack/cluster/up}, with the driver installed. After each test its namespaces
 * are deleted; the test fails when then anything is left, or when a GPU was granted to two claims
 * at any time.
 */
final class RealClusterUnderTest extends ClusterProbe
    implements BeforeEachCallback, AfterEachCallback {
  static final String NAMESPACE = "gpudra";

  /** A lost node is noticed after 20 s, and comes back in steps of its kubelet's. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration WATCH_PAUSE = Duration.ofMillis(250);
  private static final String ALL_CLAIMS = "/apis/resource.k8s.io/v1alpha2/resourceclaims";
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** What the API server was asked, where {@code hack/cluster/up} was told to write it there. */
  static final Path AUDIT_LOG = ROOT.resolve("target/audit.log");

  /** Where the cluster's kubectl and its plugin come first. */
  static final String PATH =
      "PATH=%s:%s:%s"
          .formatted(
              ROOT.resolve("hack/cluster"),
              ROOT.resolve("controller/target"),
              System.getenv("PATH"));

  private static final Commands GPUDRA =
      new Commands(ImmutableList.of("env", PATH, "kubectl", "gpudra"));

  private final Path logs;
  private final AtExit atExit = AtExit.create();
  private final List<String> namespaces = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private @Nullable RealCluster connected;
  private @Nullable HolderWatch grants;
  private long start;

  RealClusterUnderTest() {
    super(LIMIT, PAUSE);
    this.logs = ROOT.resolve("hack/scenarios/target/e2e").resolve(UUID.randomUUID().toString());
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    start = System.nanoTime();
    connected = RealCluster.connect(ROOT, logs, atExit);
    grants =
        HolderWatch.start(
            () -> HolderWatch.grants(client().get(ALL_CLAIMS).path("items")), WATCH_PAUSE);
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    try (atExit) {
      for (String namespace : namespaces) {
        client().delete("/api/v1/namespaces/" + namespace);
      }
      until("nothing is left", () -> left().isEmpty());
      if (grants != null) {
        grants.stop();
        assertThat(grants.shared()).isEmpty();
      }
    }
    report(context);
  }

  private void report(ExtensionContext context) {
    System.out.printf(
        "%s  %s (%.1f s)%n",
        context.getExecutionException().map(RealClusterUnderTest::verdict).orElse("PASS"),
        context.getDisplayName(),
        Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0);
  }

  /** What a test needs and did not find is no failure of what it tests. */
  private static String verdict(Throwable thrown) {
    return thrown instanceof TestAbortedException
        ? "SKIP (%s)".formatted(thrown.getMessage())
        : "FAIL";
  }

  private RealCluster cluster() {
    if (connected == null) {
      throw new IllegalStateException("not connected");
    }
    return connected;
  }

  @Override
  public ClusterClient client() {
    return cluster().client();
  }

  @Override
  public Set<String> seenBy(String namespace, String pod) throws IOException, InterruptedException {
    Set<String> uuids = new TreeSet<>();
    environment(namespace, pod, "ctr0")
        .forEach(
            (name, value) -> {
              if (name.matches("GPU_DEVICE_\\d+_UUID")) {
                uuids.add(value);
              }
            });
    return uuids;
  }

  /** What a container that prints its environment has printed, nothing before it is all. */
  Map<String, String> environment(String namespace, String pod, String container)
      throws IOException, InterruptedException {
    return cluster().nodes().environment(namespace, pod, container).orElse(Map.of());
  }

  /**
   * Makes a namespace that is gone after the test. No kubelet has seen its name before: what one
   * remembers of an earlier run is not what is tested.
   *
   * @param nodes that no other test uses in the meantime: nothing may be left on them
   */
  String namespace(String prefix, String... nodes) throws IOException, InterruptedException {
    String name = prefix + "-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    namespaces.add(name);
    this.nodes.addAll(List.of(nodes));
    create(Given.namespace(name));
    return name;
  }

  /** What kubectl prints. */
  String kubectl(String... arguments) throws IOException, InterruptedException {
    return cluster().kubectl().output(ImmutableList.copyOf(arguments));
  }

  /** What kubectl prints, however it ends. */
  Commands.Answer tryKubectl(String... arguments) throws IOException, InterruptedException {
    return cluster().kubectl().run(ImmutableList.copyOf(arguments));
  }

  /** What {@code kubectl gpudra} says, however it ends. */
  Commands.Answer gpudra(String... arguments) throws IOException, InterruptedException {
    return GPUDRA.run(ImmutableList.copyOf(arguments));
  }

  /** The page of {@code kubectl gpudra dashboard}. */
  DashboardVisit dashboard(String... options) throws IOException, InterruptedException {
    return DashboardVisit.start(GPUDRA, ImmutableList.copyOf(options));
  }

  /**
   * A file for {@code --kubeconfig}.
   *
   * @param token whose owner is meant
   */
  Path kubeconfigWith(String token, Path directory) throws IOException, InterruptedException {
    return Files.writeString(
        directory.resolve("kubeconfig"),
        kubectl("config", "view", "--raw", "--minify", "--flatten")
            .replaceFirst("client-certificate-data: .*", "token: " + token.strip())
            .replaceFirst("client-key-data: .*", ""));
  }

  /** Which of {@code manifests/overlays} is installed. */
  String overlay() throws IOException, InterruptedException {
    String devices =
        kubectl(
            "-n",
            NAMESPACE,
            "get",
            "daemonset/gpudra-kubeletplugin",
            "--output=jsonpath={..env[?(@.name==\"DEVICES\")].value}");
    if (devices.equals("nvidia")) {
      return "local-stub";
    }
    return client().minorVersion() < 30 ? "local-before-1.30" : "local";
  }

  /** Serves the API to whom the options of kubectl name. */
  URI proxy(String... options) throws IOException, InterruptedException {
    ImmutableList<String> kubectl =
        ImmutableList.<String>builder().addAll(cluster().kubectl().program()).add(options).build();
    return RealCluster.proxy(kubectl, atExit.add(new Children(logs.resolve("proxy"))));
  }

  /** Does something to a node, as {@code hack/cluster/node} does. */
  String node(String... arguments) throws IOException, InterruptedException {
    return cluster().node().output(ImmutableList.copyOf(arguments));
  }

  /** Remembers each state of the objects from now on. */
  Watching watch(String... what) throws IOException {
    return atExit.add(Watching.start(cluster().kubectl(), ImmutableList.copyOf(what)));
  }

  /** Name of the controller pod that leads. */
  String leader() throws IOException, InterruptedException {
    return client()
        .get(
            "/apis/coordination.k8s.io/v1/namespaces/%s/leases/gpu.resource.example.com"
                .formatted(NAMESPACE))
        .at("/spec/holderIdentity")
        .asText();
  }

  /** Names of the driver's pods of a component, the ready ones. */
  List<String> readyPods(String component) throws IOException, InterruptedException {
    List<String> ready = new ArrayList<>();
    for (JsonNode pod :
        client()
            .get(
                "/api/v1/namespaces/%s/pods?labelSelector=app.kubernetes.io/name=%s"
                    .formatted(NAMESPACE, component))
            .path("items")) {
      if (isReady(pod) && !pod.at("/metadata").has("deletionTimestamp")) {
        ready.add(pod.at("/metadata/name").asText());
      }
    }
    return ready;
  }

  /** Whether the pod or node says so itself. */
  static boolean isReady(JsonNode object) {
    for (JsonNode condition : object.at("/status/conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  /** Kills the plugins of all nodes. */
  void killPlugins() throws IOException, InterruptedException {
    for (String plugin : readyPods("gpudra-kubeletplugin")) {
      deleteByForce(NAMESPACE, plugin);
    }
  }

  /** The plugin pod of a node; a kubelet that just started calls no pod ready for a moment. */
  String awaitPluginOn(String node) throws Exception {
    until("the plugin of " + node + " serves", () -> pluginOn(node).isPresent());
    return pluginOn(node).orElseThrow();
  }

  /** The plugin pod of a node, if it is ready. */
  Optional<String> pluginOn(String node) throws IOException, InterruptedException {
    for (String pod : readyPods("gpudra-kubeletplugin")) {
      if (pod(NAMESPACE, pod)
          .filter(p -> p.at("/spec/nodeName").asText().equals(node))
          .isPresent()) {
        return Optional.of(pod);
      }
    }
    return Optional.empty();
  }

  /**
   * Claims of the test that nodes hold devices for. One without devices is a name that a kubelet of
   * 1.27 remembers for ever.
   */
  List<JsonNode> heldClaims() throws IOException, InterruptedException {
    List<JsonNode> held = new ArrayList<>();
    for (JsonNode inventory : client().get(INVENTORIES).path("items")) {
      for (JsonNode claim : inventory.at("/status/preparedClaims")) {
        if (namespaces.contains(claim.path("namespace").asText())
            && !claim.path("devices").isEmpty()) {
          held.add(claim);
        }
      }
    }
    return held;
  }

  private List<String> left() throws IOException, InterruptedException {
    List<String> left = new ArrayList<>();
    for (String namespace : namespaces) {
      if (client().find("/api/v1/namespaces/" + namespace).isPresent()) {
        left.add("namespace " + namespace);
      }
    }
    heldClaims().forEach(claim -> left.add("prepared " + claim));
    if (left.isEmpty()) {
      for (String node : nodes) {
        left.addAll(cluster().nodes().cdiFiles(node));
      }
    }
    return left;
  }
}
