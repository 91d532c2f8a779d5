package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.process.Children;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Starts the shipped binaries with the options a deployment would give them. */
final class Binaries {
  static final String DRIVER_NAME = "gpu.resource.example.com";
  static final String NAMESPACE = "gpudra";

  private final Installation installation;
  private final Path kubeconfig;
  private final Children children;

  Binaries(Installation installation, Path kubeconfig, Children children) {
    this.installation = installation;
    this.kubeconfig = kubeconfig;
    this.children = children;
  }

  /** The lease is short, so that a demo need not wait for the real one. */
  void startController(int replica) throws IOException {
    children.startJar(
        "controller-" + replica,
        installation.controller(),
        ImmutableList.of(
            "--driver-name=" + DRIVER_NAME,
            "--kubeconfig=" + kubeconfig,
            "--namespace=" + NAMESPACE,
            "--lease-duration=4s",
            "--renew-deadline=3s",
            "--retry-period=500ms",
            "--http-port=0"));
  }

  void startPlugin(String node, String profile, NodeDirectories directories, Duration heartbeat)
      throws IOException {
    children.startJar(
        "plugin-" + node,
        installation.plugin(),
        ImmutableList.of(
            "--node-name=" + node,
            "--driver-name=" + DRIVER_NAME,
            "--kubelet-dir=" + directories.kubelet(),
            "--cdi-root=" + directories.cdi(),
            "--state-dir=" + directories.state(),
            "--profile=" + profile,
            "--kubeconfig=" + kubeconfig,
            "--heartbeat=" + heartbeat.toSeconds() + "s",
            "--http-port=0"));
  }
}
