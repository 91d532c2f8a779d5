package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.process.Child;
import io.gpudra.scenarios.process.Children;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** Starts the shipped binaries with the options a deployment would give them. */
final class Binaries {
  static final String DRIVER_NAME = "gpu.resource.example.com";
  static final String NAMESPACE = "gpudra";

  private final Installation installation;
  private final Path kubeconfig;
  private final Children children;
  private final Plan plan;
  private final Map<String, NodeDirectories> directories;

  Binaries(
      Installation installation,
      Path kubeconfig,
      Children children,
      Plan plan,
      Map<String, NodeDirectories> directories) {
    this.installation = installation;
    this.kubeconfig = kubeconfig;
    this.children = children;
    this.plan = plan;
    this.directories = directories;
  }

  /** Starts all that are planned. */
  void startAll() throws IOException {
    for (String node : directories.keySet()) {
      startPlugin(node);
    }
    for (int replica = 0; replica < plan.controllers(); replica++) {
      startController(replica);
    }
  }

  /** The processes of the controllers, dead ones too. */
  List<Child> controllers() {
    return IntStream.range(0, plan.controllers())
        .mapToObj(Binaries::controller)
        .flatMap(name -> children.named(name).stream())
        .toList();
  }

  /** The process of a node's plugin, dead or not. */
  Child plugin(String node) {
    return children.named(pluginOn(node)).orElseThrow();
  }

  private static String controller(int replica) {
    return "controller-" + replica;
  }

  private static String pluginOn(String node) {
    return "plugin-" + node;
  }

  void startController(int replica) throws IOException {
    children.startJar(
        controller(replica),
        installation.controller(),
        ImmutableList.<String>builder()
            .add("--driver-name=" + DRIVER_NAME)
            .add("--kubeconfig=" + kubeconfig)
            .add("--namespace=" + NAMESPACE)
            .addAll(plan.lease().options())
            .addAll(plan.options())
            .add("--probe-port=0", "--metrics-port=0", "--debug-port=0")
            .build());
  }

  void startPlugin(String node) throws IOException {
    NodeDirectories disk = Objects.requireNonNull(directories.get(node), node);
    children.startJar(
        pluginOn(node),
        installation.plugin(),
        ImmutableList.of(
            "--node-name=" + node,
            "--driver-name=" + DRIVER_NAME,
            "--kubelet-dir=" + disk.kubelet(),
            "--cdi-root=" + disk.cdi(),
            "--state-dir=" + disk.state(),
            "--boot-id-file=" + disk.bootId(),
            "--devices=fake",
            "--profile=" + plan.nodes().get(node),
            "--kubeconfig=" + kubeconfig,
            "--heartbeat=" + plan.heartbeat().toSeconds() + "s",
            "--probe-port=0",
            "--metrics-port=0"));
  }
}
