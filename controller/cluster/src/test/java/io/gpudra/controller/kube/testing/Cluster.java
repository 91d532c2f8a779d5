package io.gpudra.controller.kube.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.Resources;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.ApiServer;
import io.gpudra.simulator.http.Kubeconfig;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.yaml.snakeyaml.Yaml;

/** An API server with our CRDs, a class and one node of two GPUs. */
public final class Cluster implements AutoCloseable {
  public static final String DRIVER = "gpu.resource.example.com";
  private static final Resource INVENTORIES = new Resource(DRIVER, "v1alpha1", "nodeinventories");
  private static final Resource OF_CLAIMS = new Resource(DRIVER, "v1alpha1", "gpuclaimparameters");
  private static final Resource QUOTAS = new Resource(DRIVER, "v1alpha1", "gpuquotas");
  private static final Resource OF_CLASSES = new Resource(DRIVER, "v1alpha1", "gpuclassparameters");

  public final ObjectServer objects =
      new ObjectServer(Clock.systemUTC(), RandomGenerator.getDefault());
  public final ApiServer server = ApiServer.start(objects, 0);

  /** Serves at once. */
  public Cluster() throws IOException {
    for (String plural :
        List.of("gpuclaimparameters", "gpuclassparameters", "gpuquotas", "nodeinventories")) {
      Map<String, Object> crd =
          new Yaml()
              .load(
                  Resources.toString(
                      Resources.getResource("io/gpudra/crds/" + plural + ".yaml"),
                      StandardCharsets.UTF_8));
      objects.create(Resource.CRDS, Json.MAPPER.valueToTree(crd));
    }
    objects.create(
        Resource.NAMESPACES,
        Json.parse(
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"gpudra\"}}"));
    objects.create(
        Resource.CLASSES,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass",
             "metadata":{"name":"gpu"},"driverName":"%s"}\
            """
                .formatted(DRIVER)));
    releaseLease();
  }

  /** As a former leader left it, so that nobody need wait for one that may live. */
  private void releaseLease() {
    objects.create(
        Resource.LEASES,
        Json.parse(
            """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
             "metadata":{"namespace":"gpudra","name":"%s"},
             "spec":{"holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":0,
              "renewTime":"2026-01-01T00:00:00.000000Z"}}\
            """
                .formatted(DRIVER)));
  }

  public void addNode(String name) {
    objects.create(
        Resource.NODES,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"},
             "status":{"allocatable":{"pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}\
            """
                .formatted(name)));
    ObjectNode inventory =
        objects.create(
            INVENTORIES,
            Json.parse(
                """
                {"apiVersion":"%s/v1alpha1","kind":"NodeInventory","metadata":{"name":"%s"}}\
                """
                    .formatted(DRIVER, name)));
    inventory.set(
        "status",
        Json.parse(
            """
            {"driverName":"%s","heartbeatTime":"%s","heartbeatSeconds":3600,
             "models":[{"name":"T4","nominalMemory":17179869184}],
             "devices":[
              {"name":"gpu-0","uuid":"GPU-0","index":0,"model":"T4","memory":16106127360,"mig":"Unsupported"},
              {"name":"gpu-1","uuid":"GPU-1","index":1,"model":"T4","memory":16106127360,"mig":"Unsupported"}],
             "conditions":[{"type":"Ready","status":"True","reason":"Serving"}]}\
            """
                .formatted(DRIVER, Instant.now())));
    objects.updateStatus(INVENTORIES, inventory);
  }

  /** Parameters of a claim, as they are wanted from now on. */
  public void wanted(String name, String spec) {
    Optional<ObjectNode> known = objects.get(OF_CLAIMS, "default", name);
    ObjectNode object = known.orElseGet(() -> parameters("GpuClaimParameters", name));
    object.set("spec", Json.parse(spec));
    if (known.isPresent()) {
      objects.update(OF_CLAIMS, object);
    } else {
      objects.create(OF_CLAIMS, object);
    }
  }

  public void offered(String name) {
    objects.create(OF_CLASSES, parameters("GpuClassParameters", name));
  }

  private static ObjectNode parameters(String kind, String name) {
    ObjectNode object =
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"%s","metadata":{"name":"%s"},"spec":{}}\
            """
                .formatted(DRIVER, kind, name));
    if (kind.equals("GpuClaimParameters")) {
      object.withObject("/metadata").put("namespace", "default");
    }
    return object;
  }

  /** Of parameters of a claim; missing as long as it has none. */
  public JsonNode statusOfWanted(String name) {
    return objects.get(OF_CLAIMS, "default", name).orElseThrow().path("status");
  }

  /** Of parameters of a class. */
  public JsonNode statusOfOffered(String name) {
    return objects.get(OF_CLASSES, "", name).orElseThrow().path("status");
  }

  public void removeNode(String name) {
    objects.delete(Resource.NODES, "", name, Optional.empty());
    objects.delete(INVENTORIES, "", name, Optional.empty());
  }

  public void deleteClaim(String name) {
    objects.delete(Resource.CLAIMS, "default", name, Optional.empty());
  }

  public boolean hasClaim(String name) {
    return objects.get(Resource.CLAIMS, "default", name).isPresent();
  }

  public void claimImmediately(String name) {
    claim(name, "Immediate");
  }

  private void claim(String name, String mode) {
    objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"default","name":"%s"},
             "spec":{"resourceClassName":"gpu","allocationMode":"%s"}}\
            """
                .formatted(name, mode)));
  }

  /** A pod at our gate, with a claim of its name. */
  public void addGatedPod(String name) {
    claim(name, "WaitForFirstConsumer");
    objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"%1$s"},
             "spec":{"schedulingGates":[{"name":"%2$s/granted"}],
              "containers":[{"name":"c","image":"i"}],
              "resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"%1$s"}}]}}\
            """
                .formatted(name, DRIVER)));
  }

  public boolean isGated(String pod) {
    return !objects
        .get(Resource.PODS, "default", pod)
        .orElseThrow()
        .at("/spec/schedulingGates")
        .isEmpty();
  }

  /** No more GPUs than these. */
  public void limit(int gpus) {
    objects.create(
        QUOTAS,
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuQuota",
             "metadata":{"namespace":"default","name":"team"},"spec":{"hard":{"gpus":%d}}}\
            """
                .formatted(DRIVER, gpus)));
  }

  /** Of the quota. */
  public JsonNode statusOfQuota() {
    return objects.get(QUOTAS, "default", "team").orElseThrow().path("status");
  }

  /** A pod that runs, and has the claim if there is one. */
  public void addPod(String name, String claim) {
    ObjectNode pod =
        objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"%s"},
                 "spec":{"nodeName":"worker-1","containers":[{"name":"c","image":"i"}]}}\
                """
                    .formatted(name)));
    pod.withObjectProperty("status").put("phase", "Running");
    objects.updateStatus(Resource.PODS, pod);
    Optional<ObjectNode> reserved = objects.get(Resource.CLAIMS, "default", claim);
    if (reserved.isPresent()) {
      reserved
          .get()
          .withObject("/status")
          .withArrayProperty("reservedFor")
          .addObject()
          .put("resource", "pods")
          .put("name", name)
          .put("uid", pod.at("/metadata/uid").asText());
      objects.updateStatus(Resource.CLAIMS, reserved.get());
    }
  }

  public boolean ends(String pod) {
    return objects
        .get(Resource.PODS, "default", pod)
        .filter(found -> found.at("/metadata/deletionTimestamp").isMissingNode())
        .isEmpty();
  }

  /** With NoExecute, all GPUs of the node. */
  public void taint(String node, String reason) {
    ObjectNode inventory = objects.get(INVENTORIES, "", node).orElseThrow();
    inventory
        .withObject("/spec")
        .withArrayProperty("taints")
        .addObject()
        .put("device", "*")
        .put("key", DRIVER + "/cordon")
        .put("effect", "NoExecute")
        .put("reason", reason);
    objects.update(INVENTORIES, inventory);
  }

  /** Of which both replicas would tell. */
  public void nameAllDevicesAlike(String node) {
    ObjectNode inventory = objects.get(INVENTORIES, "", node).orElseThrow();
    inventory.at("/status/devices").forEach(device -> ((ObjectNode) device).put("name", "gpu-0"));
    objects.updateStatus(INVENTORIES, inventory);
  }

  /** What the claim's handle says; empty as long as it is not allocated. */
  public Optional<String> handle(String claim) {
    JsonNode data =
        objects
            .get(Resource.CLAIMS, "default", claim)
            .orElseThrow()
            .at("/status/allocation/resourceHandles/0/data");
    return data.isTextual() ? Optional.of(data.asText()) : Optional.empty();
  }

  /** Events about a claim. */
  public List<String> warnings(String claim) {
    return objects.list(Resource.EVENTS).stream()
        .filter(event -> event.at("/involvedObject/name").asText().equals(claim))
        .map(event -> event.path("reason").asText() + ": " + event.path("message").asText())
        .toList();
  }

  /** Empty when nobody has it. */
  public String leaseHolder() {
    return objects
        .get(Resource.LEASES, "gpudra", DRIVER)
        .map(lease -> lease.at("/spec/holderIdentity").asText(""))
        .orElse("");
  }

  public Path kubeconfig(Path directory) throws IOException {
    Path file = directory.resolve("kubeconfig");
    Kubeconfig.write(file, server.url());
    return file;
  }

  @Override
  public void close() {
    server.close();
  }
}
