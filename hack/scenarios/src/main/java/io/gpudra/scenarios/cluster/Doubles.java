package io.gpudra.scenarios.cluster;

import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** x. */
final class Doubles implements AutoCloseable {
  static Doubles apiServer(int port) {
    return new Doubles();
  }

  void startActors(Map<String, NodeDirectories> nodes) {}

  URI server() {
    return URI.create("http://127.0.0.1");
  }

  String kubeconfig() {
    return "";
  }

  Optional<Map<String, String>> environment(String namespace, String pod, String container) {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
