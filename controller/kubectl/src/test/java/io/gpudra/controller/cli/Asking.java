package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.http.RequestLog.Entry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A cluster, and somebody who asks {@code kubectl gpudra} about it. */
final class Asking implements AutoCloseable {
  private static final Resource INVENTORIES =
      new Resource(Cluster.DRIVER, "v1alpha1", "nodeinventories");
  private static final Duration LONG = Duration.ofHours(1);

  final Cluster cluster;
  private final Path directory;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  Asking(Path directory) throws IOException {
    this.directory = directory;
    this.cluster = new Cluster();
    for (String namespace : List.of("team-a", "team-b")) {
      cluster.objects.create(
          Resource.NAMESPACES,
          Json.parse("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\"}")
              .set("metadata", Json.parse("{\"name\":\"%s\"}".formatted(namespace))));
    }
  }

  /** The exit code; what was printed before is forgotten. */
  int ask(String... arguments) throws IOException {
    out = new StringWriter();
    err = new StringWriter();
    String[] all =
        Stream.concat(
                Stream.of(arguments), Stream.of("--kubeconfig=" + cluster.kubeconfig(directory)))
            .toArray(String[]::new);
    return GpudraCommand.command(all)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  ObjectNode claim(String namespace, String name) {
    return cluster.objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"%s","name":"%s",
              "finalizers":["%s/deletion-protection"]},
             "spec":{"resourceClassName":"gpu"}}\
            """
                .formatted(namespace, name, Cluster.DRIVER)));
  }

  /** A claim that has a GPU of the node since so long, for a pod of its name. */
  ObjectNode granted(String namespace, String name, Duration ago, String node, String uuid) {
    claim(namespace, name);
    return grant(namespace, name, ago, node, uuid);
  }

  /** A claim that is there gets a GPU. */
  ObjectNode grant(String namespace, String name, Duration ago, String node, String uuid) {
    ObjectNode claim = cluster.objects.get(Resource.CLAIMS, namespace, name).orElseThrow();
    String uid = claim.at("/metadata/uid").asText();
    String handle =
        """
        {"v":1,"claim":"%s","node":"%s","epoch":1,"at":"%s",
         "devices":[{"name":"gpu-%s","uuid":"%s"}]}\
        """
            .formatted(uid, node, Instant.now().minus(ago), uuid.substring(4), uuid);
    ObjectNode status = claim.withObject("/status").put("driverName", Cluster.DRIVER);
    ObjectNode allocation = status.withObject("/allocation");
    allocation
        .withArray("resourceHandles")
        .addObject()
        .put("driverName", Cluster.DRIVER)
        .put("data", handle);
    allocation.set(
        "availableOnNodes",
        Json.parse(
            """
            {"nodeSelectorTerms":[{"matchFields":[
              {"key":"metadata.name","operator":"In","values":["%s"]}]}]}\
            """
                .formatted(node)));
    status
        .withArray("reservedFor")
        .addObject()
        .put("resource", "pods")
        .put("name", name)
        .put("uid", "uid-of-pod-" + name);
    return cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  /** A pod that uses the claim of its name. */
  void pod(String namespace, String name) {
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s"},
             "spec":{"containers":[{"name":"c","image":"i"}],
              "resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"%s"}}]}}\
            """
                .formatted(namespace, name, name)));
  }

  /** A pod that waits for a claim, and the scheduler considers these nodes for it. */
  void waiting(String namespace, String name, List<String> offered) {
    waiting(namespace, name, offered, 0);
  }

  void waiting(String namespace, String name, List<String> offered, int priority) {
    claim(namespace, name);
    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s"},
                 "spec":{"priority":%d,"containers":[{"name":"c","image":"i"}],
                  "resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"%s"}}]}}\
                """
                    .formatted(namespace, name, priority, name)));
    pod.withObject("/status").put("phase", "Pending");
    cluster.objects.updateStatus(Resource.PODS, pod);
    ObjectNode context =
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"PodSchedulingContext",
             "metadata":{"namespace":"%s","name":"%s","ownerReferences":[
              {"apiVersion":"v1","kind":"Pod","name":"%s","uid":"%s","controller":true}]},
             "spec":{"potentialNodes":[]}}\
            """
                .formatted(namespace, name, name, pod.at("/metadata/uid").asText()));
    offered.forEach(context.withObject("/spec").withArray("potentialNodes")::add);
    cluster.objects.create(Resource.CONTEXTS, context);
  }

  /** What the scheduler says of a pod, which it finds no node for. */
  void unschedulable(String namespace, String pod, String message) {
    ObjectNode refused = cluster.objects.get(Resource.PODS, namespace, pod).orElseThrow();
    refused
        .withObject("/status")
        .withArray("conditions")
        .addObject()
        .put("type", "PodScheduled")
        .put("status", "False")
        .put("reason", "Unschedulable")
        .put("message", message);
    cluster.objects.updateStatus(Resource.PODS, refused);
  }

  /** A pod at the gate of the driver, of a group of two. */
  void member(String namespace, String name, String group) {
    claim(namespace, name);
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%1$s","name":"%2$s",
              "labels":{"%3$s/group":"%4$s","%3$s/group-size":"2"}},
             "spec":{"schedulerName":"volcano","schedulingGates":[{"name":"%3$s/granted"}],
              "containers":[{"name":"c","image":"i"}],
              "resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"%2$s"}}]}}\
            """
                .formatted(namespace, name, Cluster.DRIVER, group)));
  }

  void quota(String namespace, String name, String hard) {
    cluster.objects.create(
        new Resource(Cluster.DRIVER, "v1alpha1", "gpuquotas"),
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuQuota",
             "metadata":{"namespace":"%s","name":"%s"},"spec":{"hard":%s}}\
            """
                .formatted(Cluster.DRIVER, namespace, name, hard)));
  }

  void event(String namespace, String kind, String name, String reason, String message) {
    cluster.objects.create(
        Resource.EVENTS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Event","metadata":{"namespace":"%s","name":"%s.%s"},
             "involvedObject":{"kind":"%s","namespace":"%s","name":"%s"},
             "type":"Warning","reason":"%s","message":"%s","lastTimestamp":"%s"}\
            """
                .formatted(
                    namespace,
                    name,
                    kind.toLowerCase(Locale.ROOT),
                    kind,
                    namespace,
                    name,
                    reason,
                    message,
                    Instant.now())));
  }

  /** The claim lets go of its devices. */
  void release(String namespace, String name) {
    ObjectNode claim = cluster.objects.get(Resource.CLAIMS, namespace, name).orElseThrow();
    claim.remove("status");
    cluster.objects.updateStatus(Resource.CLAIMS, claim);
  }

  void silence(String node) {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", node).orElseThrow();
    inventory
        .withObject("/status")
        .put("heartbeatSeconds", 60)
        .put("heartbeatTime", Instant.now().minus(LONG).toString());
    cluster.objects.updateStatus(INVENTORIES, inventory);
  }

  /** From now on the caller may read what is in a namespace, and nothing else. */
  void onlyOfANamespace() {
    for (String kind :
        List.of(
            "nodes", "nodeinventories", "namespaces", "gpuclassparameters", "resourceclasses")) {
      cluster.server.faults().inject(new Match("list", kind, ""), Fault.answer(403), LONG);
    }
    for (String kind :
        List.of("pods", "resourceclaims", "podschedulingcontexts", "gpuclaimparameters")) {
      cluster.server.faults().inject(new Match("list", kind, ""), Fault.answer(403), 1);
    }
  }

  /** Requests that are no reading. */
  List<Entry> writes() {
    return cluster.server.requests().all().stream()
        .filter(entry -> !List.of("list", "get").contains(entry.verb()))
        .toList();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
