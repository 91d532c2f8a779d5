package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The command on an embedded API server. */
abstract class TryCase {
  static final String TEMPLATE =
      """
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaimTemplate
      metadata: {name: one}
      spec: {spec: {resourceClassName: gpu}}
      ---
      """;
  static final String POD_SPEC =
      """
      {containers: [{name: c, image: i}],
       resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: one}}]}
      """;
  static final String POD =
      "{apiVersion: v1, kind: Pod, metadata: {name: train}, spec: " + POD_SPEC + "}\n";

  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  Path directory;
  Cluster cluster;

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
    cluster.addNode("worker-1");
    cluster.addNode("worker-2");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  int answer(String file, String... options) throws IOException {
    Path written = directory.resolve("objects.yaml");
    Files.writeString(written, file);
    return GpudraCommand.command("try")
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(
            Stream.concat(
                    Stream.of(
                        "try",
                        "--kubeconfig=" + cluster.kubeconfig(directory),
                        "-f",
                        written.toString()),
                    Stream.of(options))
                .toArray(String[]::new));
  }

  static String deployment(int replicas) {
    return """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {replicas: %d, template: {spec: %s}}
    """
        .formatted(replicas, POD_SPEC.replace("\n", " "));
  }

  /** A claim that has a GPU, and a pod that uses it. */
  void holds(String claim, String node, String device) {
    ObjectNode made =
        cluster.objects.create(
            Resource.CLAIMS,
            Json.parse(
                """
                {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
                 "metadata":{"namespace":"default","name":"%s",
                  "finalizers":["gpu.resource.example.com/deletion-protection"]},
                 "spec":{"resourceClassName":"gpu"}}\
                """
                    .formatted(claim)));
    String handle =
        """
        {"v":1,"at":"2026-11-21T08:00:00Z","epoch":1,"claim":"%s","node":"%s",
         "devices":[{"name":"x","uuid":"%s"}]}\
        """
            .formatted(made.at("/metadata/uid").asText(), node, device);
    ObjectNode status = made.putObject("status").put("driverName", Cluster.DRIVER);
    status
        .putObject("allocation")
        .withArray("resourceHandles")
        .addObject()
        .put("driverName", Cluster.DRIVER)
        .put("data", handle);
    cluster.objects.updateStatus(Resource.CLAIMS, made);
    cluster.addPod("pod-of-" + claim, claim);
  }

  /** The node has so many CPUs. */
  void cpus(String node, String cpus) {
    ObjectNode sized = cluster.objects.get(Resource.NODES, "", node).orElseThrow();
    sized.withObject("/status/allocatable").put("cpu", cpus);
    cluster.objects.updateStatus(Resource.NODES, sized);
  }

  /** A container that requests so many CPUs. */
  static String requesting(String cpus) {
    return "image: i, resources: {requests: {cpu: \"%s\"}}".formatted(cpus);
  }

  void fill() {
    holds("a", "worker-1", "GPU-0");
    holds("b", "worker-1", "GPU-1");
    holds("c", "worker-2", "GPU-0");
    holds("d", "worker-2", "GPU-1");
  }
}
