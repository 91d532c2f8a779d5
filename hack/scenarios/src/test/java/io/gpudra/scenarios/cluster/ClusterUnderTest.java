package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.process.Child;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.simulator.http.RequestLog;
import io.gpudra.simulator.kubelet.RunningContainer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * A cluster with the shipped binaries for the tests of one class; prints the ends of their logs
 * when a test fails.
 */
final class ClusterUnderTest extends ClusterProbe
    implements BeforeAllCallback, AfterAllCallback, TestWatcher {
  static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete");

  private static final String LEASE =
      "/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s"
          .formatted(Binaries.NAMESPACE, Binaries.DRIVER_NAME);

  private final Plan plan;
  private final AtExit atExit = AtExit.create();
  private @Nullable LocalCluster started;
  private @Nullable ClusterClient client;

  ClusterUnderTest(Plan plan) {
    super(LIMIT, Duration.ofMillis(30));
    this.plan = plan;
  }

  /** One controller, which keeps its lease however slow the machine is. */
  static ClusterUnderTest withNodes(ImmutableMap<String, String> nodes) {
    return new ClusterUnderTest(new Plan(nodes, 1, 0).with(Plan.Lease.LONG));
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

  @Override
  public ClusterClient client() {
    if (client == null) {
      throw new IllegalStateException("not started");
    }
    return client;
  }

  @Override
  public Set<String> seenBy(String namespace, String pod) {
    return running()
        .filter(c -> c.identity().namespace().equals(namespace) && c.identity().pod().equals(pod))
        .flatMap(ClusterUnderTest::gpus)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The containers that run now. */
  Stream<RunningContainer> running() {
    return cluster().doubles().containers().stream().filter(RunningContainer::running);
  }

  /** UUIDs of the GPUs that the container sees. */
  static Stream<String> gpus(RunningContainer container) {
    return container.environment().entrySet().stream()
        .filter(variable -> variable.getKey().matches("GPU_DEVICE_\\d+_UUID"))
        .map(Map.Entry::getValue);
  }

  /** The controller that has the lease, if it lives. */
  Optional<Child> leader() throws IOException, InterruptedException {
    String holder = client().get(LEASE).at("/spec/holderIdentity").asText();
    return cluster().binaries().controllers().stream()
        .filter(controller -> controller.exitCode().isEmpty())
        .filter(controller -> holder.endsWith("_" + controller.pid()))
        .findFirst();
  }

  /** As a Deployment does: a leader that loses its lease ends itself. */
  void replaceDeadControllers() throws IOException {
    Binaries binaries = cluster().binaries();
    List<Child> controllers = binaries.controllers();
    for (int replica = 0; replica < controllers.size(); replica++) {
      if (controllers.get(replica).exitCode().isPresent()) {
        binaries.startController(replica);
      }
    }
  }

  /** Requests of the controllers, but watches, lists, leases and events. */
  List<RequestLog.Entry> controllerCalls(Predicate<RequestLog.Entry> kind) {
    return cluster().requests().all().stream()
        .filter(LocalCluster::isControllerCall)
        .filter(kind)
        .toList();
  }

  /** Writes of the controllers in a namespace. */
  long writesIn(String namespace) {
    return controllerCalls(
            entry -> WRITES.contains(entry.verb()) && entry.namespace().equals(namespace))
        .size();
  }
}
