package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A healthy cluster, what can be wrong with it, and what the doctor says. */
abstract class DoctorCase {
  static final Resource INVENTORIES = new Resource(Cluster.DRIVER, "v1alpha1", "nodeinventories");
  static final Resource PARAMETERS = new Resource(Cluster.DRIVER, "v1alpha1", "gpuclaimparameters");

  static final String SCHEDULER = "SchedulerBindsNoClaims kube-scheduler";
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  Path directory;
  Cluster cluster;

  @BeforeEach
  void healthy(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
    cluster.addNode("worker-1");
    pod("gpudra-controller", "", "0.1.0", true);
    pod("gpudra-kubeletplugin", "worker-1", "0.1.0", true);
    lead(Instant.now());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  void lead(Instant renewed) {
    ObjectNode lease = cluster.objects.get(Resource.LEASES, "gpudra", Cluster.DRIVER).orElseThrow();
    lease
        .withObject("/spec")
        .put("holderIdentity", "one")
        .put("leaseDurationSeconds", 600)
        .put("renewTime", MICROS.format(renewed.atOffset(ZoneOffset.UTC)));
    cluster.objects.update(Resource.LEASES, lease);
  }

  ObjectNode pod(String app, String node, String version, boolean ready) {
    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"namespace":"gpudra","name":"%1$s-%3$s-%5$s",
                  "labels":{"app.kubernetes.io/name":"%1$s"}},
                 "spec":{"nodeName":"%2$s","serviceAccountName":"%1$s","containers":[
                  {"name":"c","image":"gpudra/c:%3$s","args":["--driver-name=%4$s"]}]}}\
                """
                    .formatted(app, node, version, Cluster.DRIVER, ready)));
    pod.withObjectProperty("status")
        .put("phase", "Running")
        .withArrayProperty("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", ready ? "True" : "False")
        .put("message", ready ? "" : "containers with unready status: [c]");
    cluster.objects.updateStatus(Resource.PODS, pod);
    return pod;
  }

  int doctor() throws IOException {
    return GpudraCommand.command()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(
            "doctor",
            "--kubeconfig=" + cluster.kubeconfig(directory),
            "-o",
            "json",
            "--settle=10ms");
  }

  /** As {@code complaint subject}. */
  List<String> found() throws IOException {
    out.getBuffer().setLength(0);
    doctor();
    JsonNode diagnoses = Json.parse(out.toString()).path("diagnoses");
    return StreamSupport.stream(diagnoses.spliterator(), false)
        .map(one -> one.path("complaint").asText() + " " + one.path("subject").asText())
        .toList();
  }

  String what() {
    return Json.parse(out.toString()).at("/diagnoses/0/what").asText();
  }

  void claim(String name, String parameters) {
    cluster.objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"default","name":"%s"},
             "spec":{"resourceClassName":"gpu"%s}}\
            """
                .formatted(
                    name,
                    parameters.isEmpty()
                        ? ""
                        : """
                        ,"parametersRef":{"apiGroup":"%s","kind":"GpuClaimParameters","name":"%s"}\
                        """
                            .formatted(Cluster.DRIVER, parameters))));
  }

  void parameters(String name, String spec) {
    cluster.objects.create(
        PARAMETERS,
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuClaimParameters",
             "metadata":{"namespace":"default","name":"%s"},"spec":%s}\
            """
                .formatted(Cluster.DRIVER, name, spec)));
  }

  void condition(String reason, String message) {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", "worker-1").orElseThrow();
    ((ObjectNode) inventory.at("/status/conditions/0"))
        .put("status", "False")
        .put("reason", reason)
        .put("message", message);
    cluster.objects.updateStatus(INVENTORIES, inventory);
  }

  void replace(String app, String node, String version, boolean ready) {
    cluster.objects.delete(Resource.PODS, "gpudra", app + "-0.1.0-true", Optional.empty());
    pod(app, node, version, ready);
  }
}
