package io.gpudra.scenarios.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Takes the power from a node with all that runs there, and gives it back. */
record NodePower(LocalCluster cluster, String node) {

  /** The CDI directory is in memory, and so is empty afterwards. */
  void off() throws IOException {
    cluster.binaries().plugin(node).kill();
    cluster.doubles().kubelet(node).powerOff();
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  void on() throws IOException {
    Files.writeString(cluster.directories(node).bootId(), UUID.randomUUID().toString());
    cluster.doubles().kubelet(node).start();
    cluster.binaries().startPlugin(node);
  }

  void reboot() throws IOException {
    off();
    on();
  }

  /** Without the plugin's probe, which comes and goes. */
  List<Path> specs() throws IOException {
    return files().stream().filter(file -> file.toString().endsWith(".json")).toList();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(cluster.directories(node).cdi())) {
      return files.toList();
    }
  }
}
