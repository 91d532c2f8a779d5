package io.gpudra.bench.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.scenarios.process.TemporaryDirectory;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The double of an API server in this process, with one node.
 *
 * @param sockets with a path short enough for sockets below it
 * @param directory for everything else that would be on the node's disk
 */
record SmallCluster(EmbeddedApiServer server, TemporaryDirectory sockets, Path directory)
    implements AutoCloseable {
  static final String NODE = "bench";

  /** Starts it; the directory is emptied. */
  static SmallCluster start(Path root, Path directory) throws IOException {
    new TemporaryDirectory(Files.createDirectories(directory)).close();
    Files.createDirectories(directory.resolve("state"));
    SmallCluster cluster =
        new SmallCluster(EmbeddedApiServer.start(0), TemporaryDirectory.create(), directory);
    Api api = cluster.server.api();
    define(api, root);
    api.create(Resource.NODES, Json.object("metadata", Json.object("name", NODE)));
    cluster.server.writeKubeconfig(cluster.kubeconfig());
    return cluster;
  }

  /** Makes our kinds known. */
  static void define(Api api, Path root) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve("crds"), "*.yaml")) {
      for (Path file : files) {
        for (ObjectNode object : Manifests.read(file)) {
          if (object.path("kind").asText().equals("CustomResourceDefinition")) {
            api.create(Resource.CRDS, object);
          }
        }
      }
    }
  }

  @Override
  public void close() {
    server.close();
    sockets.close();
  }

  /** Options of the node's plugin, with fake GPUs. */
  ImmutableList<String> plugin(Endpoint http) {
    return plugin(http, "--devices=fake");
  }

  /** The same with other GPUs. */
  ImmutableList<String> plugin(Endpoint http, String... devices) {
    return ImmutableList.<String>builder()
        .add("--node-name=" + NODE)
        .add(devices)
        .add("--kubelet-dir=" + sockets.path())
        .add("--cdi-root=" + directory.resolve("cdi"))
        .add("--state-dir=" + state())
        .add("--kubeconfig=" + kubeconfig())
        .addAll(http.options())
        .build();
  }

  /** Where the kubelet would call. */
  Path socket() {
    return sockets.path().resolve("plugins/" + SampleNode.DRIVER + "/plugin.sock");
  }

  /** What the plugin remembers is here. */
  Path state() {
    return directory.resolve("state");
  }

  /** Options of a controller. */
  ImmutableList<String> controller(Endpoint http) {
    return http.controller(kubeconfig());
  }

  private Path kubeconfig() {
    return directory.resolve("kubeconfig");
  }
}
