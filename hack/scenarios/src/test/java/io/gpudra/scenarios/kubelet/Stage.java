package io.gpudra.scenarios.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.cluster.ClusterProbe;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Answer;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A driver and a namespace of one test's own; the test is the driver's controller and its plugin.
 */
final class Stage extends ClusterProbe {
  /** A variable of each container, which holds its name. */
  static final String CONTAINER = "CONTAINER";

  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final JsonMapper JSON = new JsonMapper();

  private final int number = COUNT.incrementAndGet();

  /** The kubelet puts it into an annotation's name, which must not be long. */
  final String driver = "c" + number + ".example.com";

  /** No kubelet has heard of it before. */
  final String namespace =
      "kubelet-" + Long.toString(System.currentTimeMillis(), 36) + "-" + number;

  final ScriptedPlugin plugin = new ScriptedPlugin(this::devices);
  final Sockets sockets;
  private final KubeletUnderTest kubelet;
  private final String pods = "/api/v1/namespaces/" + namespace + "/pods";
  private String start = "";

  private Stage(KubeletUnderTest kubelet) {
    super(kubelet.prepareRetry().most().plusMinutes(1), PAUSE);
    this.kubelet = kubelet;
    this.sockets = new Sockets(kubelet, driver, driver, "1.0.0");
  }

  static Stage set(KubeletUnderTest kubelet) throws IOException, InterruptedException {
    Stage stage = new Stage(kubelet);
    stage.create(Given.namespace(stage.namespace), stage.resourceClass());
    stage.start = stage.client().get(stage.pods).at("/metadata/resourceVersion").asText();
    return stage;
  }

  private String resourceClass() {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: %1$s}
        driverName: %1$s
        """
        .formatted(driver);
  }

  @Override
  public ClusterClient client() {
    return kubelet.client();
  }

  /** Returns when the plugin is registered. */
  void servePlugin() throws IOException {
    sockets.serve(new CurrentService(plugin));
    awaitRegistration();
  }

  void awaitRegistration() {
    until("the plugin is registered", () -> sockets.count("registered: true") > 0);
  }

  /** Devices that set a variable of their name, for {@link #devices}. */
  void makeDevices(String... names) throws IOException {
    List<String> devices = new ArrayList<>();
    for (String name : names) {
      devices.add("{'name':'%1$s','containerEdits':{'env':['DEVICE_%1$s=1']}}".formatted(name));
    }
    String spec =
        "{'cdiVersion':'0.3.0','kind':'%s/dev','devices':[%s]}"
            .formatted(driver, String.join(",", devices));
    Path file = kubelet.outside(cdiFile());
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, spec.replace('\'', '"'));
  }

  private Path cdiFile() {
    return kubelet.cdi().resolve(driver + ".json");
  }

  /** The device that the handle names; none for an empty one. */
  private Map<String, Answer> devices(List<Claim> claims) {
    return claims.stream()
        .collect(ImmutableMap.toImmutableMap(Claim::getUid, claim -> device(claim)));
  }

  private Answer device(Claim claim) {
    String handle = claim.getResourceHandle();
    return handle.isEmpty() ? Answer.NOTHING : new Answer(List.of(driver + "/dev=" + handle), "");
  }

  /** A claim that is allocated, for any number of pods. */
  void allocated(String name, String handle) throws IOException, InterruptedException {
    allocated(name, handle, true);
  }

  void allocated(String name, String handle, boolean shareable)
      throws IOException, InterruptedException {
    create(Given.claim(namespace, name, driver));
    ObjectNode claim = claim(namespace, name).orElseThrow().deepCopy();
    ObjectNode status = claim.withObject("/status").put("driverName", driver);
    ObjectNode allocation = status.putObject("allocation").put("shareable", shareable);
    allocation
        .putArray("resourceHandles")
        .addObject()
        .put("driverName", driver)
        .put("data", handle);
    client().put(DRA + namespace + "/resourceclaims/" + name + "/status", claim);
  }

  String uid(String claim) throws IOException, InterruptedException {
    return claim(namespace, claim).orElseThrow().at("/metadata/uid").asText();
  }

  /** A pod that the scheduler brings here. */
  void schedule(String name, String... claims) throws IOException, InterruptedException {
    create(podText(name, Given.on(kubelet.node()), claims));
  }

  /** A pod that nobody asked the scheduler about. */
  void bind(String name, String... claims) throws IOException, InterruptedException {
    create(podText(name, "nodeName: " + kubelet.node(), claims));
  }

  /** Its second container names no claim. */
  private String podText(String name, String where, String... claims) {
    List<String> used = List.of(claims).stream().map("{name: %s}"::formatted).toList();
    List<String> entries =
        List.of(claims).stream()
            .map(claim -> "{name: %s, source: {resourceClaimName: %s}}".formatted(claim, claim))
            .toList();
    return """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: %s}
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          %s
          containers:
          - %s
            resources: {claims: %s}
          - %s
          resourceClaims: %s
        """
        .formatted(
            namespace,
            name,
            where,
            container(name, "ctr"),
            used,
            container(name, "other"),
            entries);
  }

  private String container(String pod, String name) {
    return """
        name: %s
            image: busybox
            imagePullPolicy: IfNotPresent
            command: [sleep, infinity]
            env: [{name: %s, value: %s/%s/%s}]"""
        .formatted(name, CONTAINER, namespace, pod, name);
  }

  void awaitRunning(String pod) {
    until(pod + " runs", () -> isPhase(namespace, pod, "Running"));
  }

  void awaitGone(String pod) {
    until(pod + " is gone", () -> pod(namespace, pod).isEmpty());
  }

  void deleteAndAwait(String... names) throws IOException, InterruptedException {
    for (String pod : names) {
      delete(namespace, pod);
    }
    List.of(names).forEach(this::awaitGone);
  }

  boolean runs(String pod) throws IOException {
    return kubelet.environment(namespace, pod, "ctr").isPresent();
  }

  @Override
  public Set<String> seenBy(String namespace, String pod) throws IOException {
    return devicesOf(pod, "ctr");
  }

  /** Names of the devices of the running container. */
  Set<String> devicesOf(String pod, String container) throws IOException {
    Set<String> devices = new TreeSet<>();
    for (String variable : kubelet.environment(namespace, pod, container).orElseThrow().keySet()) {
      if (variable.startsWith("DEVICE_")) {
        devices.add(variable.substring("DEVICE_".length()));
      }
    }
    return devices;
  }

  /**
   * Waits for a warning about the pod. It need not be the first: a kubelet that is faster than the
   * API server's authorizer may not read the claim at once.
   */
  void awaitWarning(String pod, String reason, String message) {
    until(message, () -> warnings(pod, reason).stream().anyMatch(said -> said.contains(message)));
  }

  private List<String> warnings(String pod, String reason)
      throws IOException, InterruptedException {
    List<String> messages = new ArrayList<>();
    for (JsonNode event :
        client().get("/api/v1/namespaces/" + namespace + "/events").path("items")) {
      if (event.at("/involvedObject/name").asText().equals(pod)
          && event.path("type").asText().equals("Warning")
          && event.path("reason").asText().equals(reason)) {
        messages.add(event.path("message").asText());
      }
    }
    return messages;
  }

  /** What the pod was since the test began, as people see it; the same twice counts once. */
  List<String> history(String pod) throws IOException, InterruptedException {
    List<String> history = history(pod, 1);
    // A busy server may need that long to begin with.
    return history.isEmpty() ? history(pod, 10) : history;
  }

  private List<String> history(String pod, int seconds) throws IOException, InterruptedException {
    String watch =
        client()
            .text(pods + "?watch=1&timeoutSeconds=%d&resourceVersion=".formatted(seconds) + start);
    List<String> history = new ArrayList<>();
    try (MappingIterator<JsonNode> events = JSON.readerFor(JsonNode.class).readValues(watch)) {
      while (events.hasNextValue()) {
        JsonNode event = events.nextValue();
        String state = state(event);
        if (event.at("/object/metadata/name").asText().equals(pod)
            && (history.isEmpty() || !history.get(history.size() - 1).equals(state))) {
          history.add(state);
        }
      }
    }
    return history;
  }

  private static String state(JsonNode event) {
    return event.path("type").asText().equals("DELETED") ? "gone" : podState(event.path("object"));
  }

  static String podState(JsonNode pod) {
    JsonNode container = pod.at("/status/containerStatuses/0/state");
    String state = container.isEmpty() ? "" : " " + container.fieldNames().next();
    String reason = container.at("/waiting/reason").asText();
    return (pod.at("/metadata").has("deletionTimestamp") ? "deleting " : "")
        + pod.at("/status/phase").asText()
        + state
        + (reason.isEmpty() ? "" : " " + reason);
  }

  /** Leaves nothing behind. */
  void clear() throws IOException, InterruptedException {
    plugin.onUnprepare(ScriptedPlugin.SUCCESS);
    client().delete("/api/v1/namespaces/" + namespace);
    until(
        "the namespace is gone", () -> client().find("/api/v1/namespaces/" + namespace).isEmpty());
    client().delete("/apis/resource.k8s.io/v1alpha2/resourceclasses/" + driver);
    sockets.close();
    Files.deleteIfExists(kubelet.outside(cdiFile()));
  }
}
