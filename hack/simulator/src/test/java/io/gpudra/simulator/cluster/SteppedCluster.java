package io.gpudra.simulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.server.ObjectServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** A whole cluster on the test's thread and clock, with the test as user and driver. */
final class SteppedCluster implements AutoCloseable {
  static final String DRIVER = "gpu.example.com";
  private static final int MAX_STEPS = 10_000;

  final ManualClock clock = new ManualClock();
  final ObjectServer api = new ObjectServer(clock, new SplittableRandom(1), 10_000);
  final ScriptedPlugin plugin = new ScriptedPlugin();
  final Actors actors;
  private final List<String> written = new ArrayList<>();

  SteppedCluster(Path cdi, Profile profile, String... nodes) {
    List<NodeConfig> configs = new ArrayList<>();
    for (String node : nodes) {
      configs.add(new NodeConfig(node, cdi, List.of(cdi), profile, Map.of()));
    }
    for (String device : List.of("gpu-0", "gpu-1")) {
      cdi(cdi, device);
    }
    ActorsConfig config = new ActorsConfig(configs, Timings.REAL, profile, 7);
    actors = Actors.stepped(api, config, clock, node -> this::plugin);
    create(Resource.CLASSES, "{'metadata':{'name':'gpu'},'driverName':'%s'}".formatted(DRIVER));
  }

  private Optional<io.gpudra.simulator.kubelet.DraPlugin> plugin(String driver) {
    return driver.equals(DRIVER) ? Optional.of(plugin) : Optional.empty();
  }

  private static void cdi(Path directory, String device) {
    String spec =
        """
        {"cdiVersion":"0.3.0","kind":"example.com/gpu","devices":[
          {"name":"%s","containerEdits":{"env":["GPU=%s"]}}]}
        """;
    try {
      Files.writeString(directory.resolve(device + ".json"), spec.formatted(device, device));
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes and removals of a resource, from now on, in order. */
  List<String> record(Resource resource) {
    AutoCloseable watch =
        api.watch(
            resource,
            event -> written.add(event.type() + " " + Json.text(event.object(), "metadata.name")));
    assert watch != null;
    return written;
  }

  ObjectNode create(Resource resource, String json) {
    return api.create(resource, Json.parse(json.replace('\'', '"')));
  }

  void claim(String name) {
    claim(name, "WaitForFirstConsumer");
  }

  void claim(String name, String mode) {
    create(
        Resource.CLAIMS,
        "{'metadata':{'name':'%s','namespace':'default'},'spec':{'resourceClassName':'gpu','allocationMode':'%s'}}"
            .formatted(name, mode));
  }

  /** A pod with one container that uses each of the claims, given by name. */
  void pod(String name, String node, String... claims) {
    List<String> entries = new ArrayList<>();
    for (String claim : claims) {
      entries.add("{'name':'%s','source':{'resourceClaimName':'%s'}}".formatted(claim, claim));
    }
    podWith(name, node, entries, List.of(claims));
  }

  /** A pod with a template for each entry. */
  void podWithTemplates(String name, String template, String... entries) {
    List<String> sources = new ArrayList<>();
    for (String entry : entries) {
      sources.add(
          "{'name':'%s','source':{'resourceClaimTemplateName':'%s'}}".formatted(entry, template));
    }
    podWith(name, "", sources, List.of(entries));
  }

  private void podWith(String name, String node, List<String> entries, List<String> used) {
    List<String> names = used.stream().map("{'name':'%s'}"::formatted).toList();
    create(
        Resource.PODS,
        ("{'metadata':{'name':'%s','namespace':'default'},'spec':{%s'restartPolicy':'Never',"
                + "'resourceClaims':[%s],'containers':[{'name':'ctr','image':'i','resources':{'claims':[%s]}},"
                + "{'name':'other','image':'i'}]}}")
            .formatted(
                name,
                node.isEmpty() ? "" : "'nodeName':'%s',".formatted(node),
                String.join(",", entries),
                String.join(",", names)));
  }

  /** Does what is due now until nothing is. */
  void settle() {
    for (int steps = 0; api.step() || actors.step(); steps++) {
      if (steps == MAX_STEPS) {
        throw new AssertionError("never comes to rest");
      }
    }
  }

  /** Lets so much time pass, with everything that falls due in it. */
  void pass(Duration duration) {
    settle();
    Instant end = clock.instant().plus(duration);
    while (true) {
      Optional<Instant> due = actors.nextDue().filter(at -> at.isBefore(end));
      Instant next = due.orElse(end);
      clock.advance(Duration.between(clock.instant(), next));
      settle();
      if (due.isEmpty()) {
        return;
      }
    }
  }

  /** What a driver writes: an allocation on the node, whose device is the handle. */
  void allocate(String claim, String node, String device, boolean shareable) {
    ObjectNode object = api.get(Resource.CLAIMS, "default", claim).orElseThrow();
    object.set(
        "status",
        Json.parse(
            """
            {"driverName":"%s","allocation":{"shareable":%s,
              "resourceHandles":[{"driverName":"%s","data":"%s"}],
              "availableOnNodes":{"nodeSelectorTerms":[{"matchFields":[
                {"key":"metadata.name","operator":"In","values":["%s"]}]}]}}}
            """
                .formatted(DRIVER, shareable, DRIVER, device, node)));
    api.updateStatus(Resource.CLAIMS, object);
  }

  /** What a driver writes: for each claim of the pod the nodes that do not suit. */
  void inform(String pod, Map<String, List<String>> unsuitable) {
    ObjectNode context = context(pod);
    var list = context.withObjectProperty("status").putArray("resourceClaims");
    unsuitable.forEach(
        (claim, nodes) -> {
          var names = list.addObject().put("name", claim).putArray("unsuitableNodes");
          nodes.forEach(names::add);
        });
    api.updateStatus(Resource.CONTEXTS, context);
  }

  /** What a driver writes after a request for deallocation. */
  void release(String claim) {
    ObjectNode object = claimObject(claim);
    object.putObject("status");
    api.updateStatus(Resource.CLAIMS, object);
  }

  ObjectNode claimObject(String name) {
    return api.get(Resource.CLAIMS, "default", name).orElseThrow();
  }

  ObjectNode podObject(String name) {
    return api.get(Resource.PODS, "default", name).orElseThrow();
  }

  ObjectNode context(String pod) {
    return api.get(Resource.CONTEXTS, "default", pod).orElseThrow();
  }

  boolean hasContext(String pod) {
    return api.get(Resource.CONTEXTS, "default", pod).isPresent();
  }

  String phase(String pod) {
    return podObject(pod).at("/status/phase").asText();
  }

  String node(String pod) {
    return podObject(pod).at("/spec/nodeName").asText();
  }

  String condition(String pod) {
    for (JsonNode condition : podObject(pod).at("/status/conditions")) {
      if (condition.path("type").asText().equals("PodScheduled")) {
        return condition.path("message").asText();
      }
    }
    return "";
  }

  List<String> events(String pod, String reason) {
    return api.list(Resource.EVENTS).stream()
        .filter(event -> event.at("/involvedObject/name").asText().equals(pod))
        .filter(event -> event.path("reason").asText().equals(reason))
        .map(event -> event.path("message").asText())
        .toList();
  }

  /** The value of GPU in a container of the pod; empty when there is none. */
  String gpu(String pod, String container) {
    return actors.containers().stream()
        .filter(c -> c.identity().pod().equals(pod) && c.running())
        .filter(c -> c.identity().container().equals(container))
        .map(c -> c.environment().getOrDefault("GPU", ""))
        .findFirst()
        .orElse("not running");
  }

  @Override
  public void close() {
    actors.close();
  }
}
