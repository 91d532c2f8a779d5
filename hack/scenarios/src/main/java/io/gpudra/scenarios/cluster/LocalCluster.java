package io.gpudra.scenarios.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.scenarios.cluster.Installation.Workplace;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.process.Children;
import io.gpudra.scenarios.process.TemporaryDirectory;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Health;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.scenarios.run.NodeView;
import io.gpudra.scenarios.run.Progress;
import io.gpudra.scenarios.run.Wait;
import io.gpudra.simulator.http.RequestLog;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A cluster that is up: the doubles in this JVM, the shipped binaries beside it. It stays up until
 * the {@link AtExit} it was started with is closed.
 */
public final class LocalCluster implements Health {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final ImmutableSet<String> NEEDED_KINDS =
      ImmutableSet.of(
          "CustomResourceDefinition", "Namespace", "ResourceClass", "GpuClassParameters");

  private static final ImmutableSet<String> NOT_COUNTED_VERBS = ImmutableSet.of("watch", "list");
  private static final ImmutableSet<String> NOT_COUNTED = ImmutableSet.of("leases", "events");

  private final Doubles doubles;
  private final Children children;
  private final ImmutableMap<String, NodeDirectories> directories;
  private final Path kubeconfig;
  private final String description;
  private final Binaries binaries;

  private LocalCluster(
      Doubles doubles,
      Children children,
      Binaries binaries,
      ImmutableMap<String, NodeDirectories> directories,
      Path kubeconfig,
      String description) {
    this.doubles = doubles;
    this.children = children;
    this.binaries = binaries;
    this.directories = directories;
    this.kubeconfig = kubeconfig;
    this.description = description;
  }

  /**
   * Starts everything and returns when a controller leads and every node serves.
   *
   * @throws IOException when that does not come to be; the message says what is missing, with the
   *     end of the log of a process that died
   */
  public static LocalCluster start(Plan plan, Workplace workplace, AtExit atExit, Progress progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    progress.doing("starting the API server and the nodes");
    Map<String, NodeDirectories> directories = new LinkedHashMap<>();
    TemporaryDirectory temporary = atExit.add(TemporaryDirectory.create());
    for (String node : plan.nodes().keySet()) {
      directories.put(node, NodeDirectories.create(temporary.path().resolve(node)));
    }
    Doubles doubles = atExit.add(Doubles.apiServer(plan.port()));
    Path kubeconfig = write(doubles, workplace);
    applyManifests(workplace.installation(), new ClusterClient(doubles.server()));
    doubles.startActors(directories, plan);
    Children children = atExit.add(new Children(workplace.directory().resolve("logs")));
    progress.doing("starting the controllers and the node plugins");
    Binaries binaries =
        new Binaries(workplace.installation(), kubeconfig, children, plan, directories);
    binaries.startAll();
    awaitReady(plan, doubles, children);
    String description =
        String.format(
            "ready: API server %s, nodes: %d, controllers: %d, after %.1f s",
            doubles.server(),
            plan.nodes().size(),
            plan.controllers(),
            (System.nanoTime() - start) / 1e9);
    return new LocalCluster(
        doubles, children, binaries, ImmutableMap.copyOf(directories), kubeconfig, description);
  }

  /** Starts just the API server, which then holds nothing. */
  public static LocalCluster apiOnly(int port, Workplace workplace, AtExit atExit)
      throws IOException {
    Doubles doubles = atExit.add(Doubles.apiServer(port));
    Children children = atExit.add(new Children(workplace.directory().resolve("logs")));
    Path kubeconfig = write(doubles, workplace);
    Plan plan = new Plan(ImmutableMap.of(), 0, port);
    return new LocalCluster(
        doubles,
        children,
        new Binaries(workplace.installation(), kubeconfig, children, plan, ImmutableMap.of()),
        ImmutableMap.of(),
        kubeconfig,
        "ready: API server " + doubles.server());
  }

  private static Path write(Doubles doubles, Workplace workplace) throws IOException {
    Files.createDirectories(workplace.directory());
    doubles.writeKubeconfig(workplace.kubeconfig());
    return workplace.kubeconfig();
  }

  /** Deployments would stay objects here, so only what the binaries rely on is applied. */
  private static void applyManifests(Installation installation, ClusterClient client)
      throws IOException, InterruptedException {
    for (Path file : installation.manifests()) {
      for (ObjectNode object : Manifests.read(file)) {
        if (NEEDED_KINDS.contains(object.path("kind").asText())) {
          client.create(object);
        }
      }
    }
    for (ObjectNode lease : Manifests.read(installation.releasedLease())) {
      client.create(lease);
    }
  }

  private static void awaitReady(Plan plan, Doubles doubles, Children children)
      throws IOException, InterruptedException {
    Readiness readiness = new Readiness(new ClusterClient(doubles.server()), plan.nodes().keySet());
    ImmutableList<String> missing =
        new Wait(START_LIMIT, PAUSE, children::fault).until(readiness::missing);
    if (!missing.isEmpty()) {
      throw new IOException(
          "the cluster did not start: %s%n%s"
              .formatted(String.join("; ", missing), children.logTails()));
    }
  }

  /** Address of the API server. */
  public URI server() {
    return doubles.server();
  }

  /** A file kubectl can use. */
  public Path kubeconfig() {
    return kubeconfig;
  }

  /** One line that says it is ready. */
  public String description() {
    return description;
  }

  /** What to type to look around. */
  public String usage() {
    return """
    the cluster stays up until Ctrl-C; in another shell:
      export KUBECONFIG=%s
      kubectl get gpunode
      kubectl apply -f manifests/examples/01-two-pods.yaml
      kubectl get pods,resourceclaims -A
      controller/target/kubectl-gpudra dashboard    # prints the address of a page to open\
    """
        .formatted(kubeconfig);
  }

  /** The first replica. */
  public ProcessHandle controller() throws IOException {
    return binaries.controllers().stream()
        .flatMap(child -> ProcessHandle.of(child.pid()).stream())
        .findFirst()
        .orElseThrow(() -> new IOException("there is no controller"));
  }

  /** The newest requests that came over HTTP. */
  public RequestLog requests() {
    return doubles.requests();
  }

  /** Of a controller, but watches, lists, leases and events. */
  public static boolean isControllerCall(RequestLog.Entry request) {
    return request.userAgent().startsWith("gpudra-controller")
        && !NOT_COUNTED_VERBS.contains(request.verb())
        && !NOT_COUNTED.contains(request.resource());
  }

  /** The doubles, for tests that interfere. */
  Doubles doubles() {
    return doubles;
  }

  /** The processes, for tests that interfere. */
  Children children() {
    return children;
  }

  /** Starts processes again, for tests that ended them. */
  Binaries binaries() {
    return binaries;
  }

  /** A node's disk, for tests that interfere. */
  NodeDirectories directories(String node) {
    return Objects.requireNonNull(directories.get(node), node);
  }

  /** What is to be seen on the nodes. */
  public NodeView nodes() {
    return new NodeView() {
      @Override
      public Optional<Map<String, String>> environment(
          String namespace, String pod, String container) {
        return doubles.environment(namespace, pod, container);
      }

      @Override
      public List<String> cdiFiles() {
        return directories.values().stream().flatMap(node -> node.cdiFiles().stream()).toList();
      }
    };
  }

  @Override
  public Optional<String> fault() {
    return children.fault();
  }

  /** Returns when a process has died, with its end; else never. */
  public String awaitFault() throws InterruptedException {
    Optional<String> fault = children.fault();
    while (fault.isEmpty()) {
      Thread.sleep(PAUSE.toMillis());
      fault = children.fault();
    }
    return fault.get();
  }
}
