package io.gpudra.scenarios.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Streams;
import io.gpudra.scenarios.script.Observed;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Observes one namespace like kubectl. */
public final class Observer {
  private static final String DRA = "/apis/resource.k8s.io/v1alpha2";
  private static final String INVENTORIES =
      "/apis/gpu.resource.example.com/v1alpha1/nodeinventories";
  private static final JsonMapper JSON = new JsonMapper();

  private final ClusterClient cluster;
  private final NodeView nodes;

  /** Uses the API server, and the nodes for the rest. */
  public Observer(ClusterClient cluster, NodeView nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  Observed observe(String namespace) throws IOException, InterruptedException {
    var events = events(namespace);
    ImmutableSortedMap.Builder<String, Observed.Pod> pods = ImmutableSortedMap.naturalOrder();
    ImmutableSortedMap.Builder<String, Observed.Container> containers =
        ImmutableSortedMap.naturalOrder();
    Map<String, ImmutableSetMultimap<String, String>> gpus = gpus();
    for (JsonNode pod : items("/api/v1/namespaces/" + namespace + "/pods")) {
      String name = name(pod);
      String phase = pod.at("/status/phase").asText("Pending");
      pods.put(name, new Observed.Pod(phase, events.get("Pod/" + name)));
      for (String containerName : containers(pod)) {
        if (phase.equals("Running")) {
          nodes
              .environment(namespace, name, containerName)
              .ifPresent(
                  environment ->
                      containers.put(
                          name + "/" + containerName, Observed.Container.of(environment, gpus)));
        }
      }
    }
    return new Observed(containers.build(), pods.build(), claims(namespace, events, gpus));
  }

  private static List<String> containers(JsonNode pod) {
    return Streams.concat(
            Streams.stream(pod.at("/spec/initContainers")),
            Streams.stream(pod.at("/spec/containers")))
        .map(container -> container.path("name").asText())
        .toList();
  }

  /** Failed preparations of kubelets, which a later success would hide. */
  ImmutableList<String> failedPrepares(String namespace) throws IOException, InterruptedException {
    return events(namespace).entries().stream()
        .filter(event -> event.getValue().reason().equals("FailedPrepareDynamicResources"))
        .map(event -> event.getKey() + ": " + event.getValue().message())
        .collect(ImmutableList.toImmutableList());
  }

  /** Remains of the scenario in the cluster, one sentence each. */
  public ImmutableList<String> leftovers(String namespace)
      throws IOException, InterruptedException {
    ImmutableList.Builder<String> left = ImmutableList.builder();
    if (cluster
        .find("/api/v1/namespaces/" + namespace)
        .filter(found -> !isEndingNamespace(found))
        .isPresent()) {
      left.add("namespace %s is left".formatted(namespace));
    }
    return left.addAll(leftIn(namespace)).addAll(leftOnNodes()).build();
  }

  /** Remains of one scenario while others run. */
  ImmutableList<String> leftIn(String namespace) throws IOException, InterruptedException {
    ImmutableList.Builder<String> left = ImmutableList.builder();
    for (String kind : ImmutableList.of("resourceclaims", "podschedulingcontexts")) {
      items(DRA + "/namespaces/" + namespace + "/" + kind)
          .forEach(object -> left.add("%s %s is left".formatted(kind, name(object))));
    }
    for (JsonNode inventory : items(INVENTORIES)) {
      held(inventory, claim -> text(claim, "namespace").equals(namespace)).forEach(left::add);
    }
    return left.build();
  }

  /** Remains of any scenario on the nodes. */
  ImmutableList<String> leftOnNodes() throws IOException, InterruptedException {
    ImmutableList.Builder<String> left = ImmutableList.builder();
    for (JsonNode inventory : items(INVENTORIES)) {
      JsonNode status = inventory.path("status");
      held(inventory, claim -> true).forEach(left::add);
      if (status.path("gpusInUse").asInt() != 0) {
        left.add(
            "%s still counts %d GPUs in use"
                .formatted(name(inventory), status.path("gpusInUse").asInt()));
      }
      for (JsonNode made : status.path("devices").findValues("claimUID")) {
        if (!made.asText().isEmpty()) {
          left.add(
              "%s still has a MIG device of claim %s".formatted(name(inventory), made.asText()));
        }
      }
    }
    nodes.cdiFiles().forEach(file -> left.add("CDI file " + file + " is left"));
    return left.build();
  }

  private static Stream<String> held(JsonNode inventory, Predicate<JsonNode> which) {
    return Streams.stream(inventory.at("/status/preparedClaims"))
        .filter(which)
        .map(
            claim ->
                "%s still holds devices for claim %s"
                    .formatted(name(inventory), text(claim, "name")));
  }

  /** A real namespace ends five seconds after its content; only its next creation must wait. */
  static boolean isEndingNamespace(JsonNode object) {
    return object.path("kind").asText().equals("Namespace")
        && object.at("/metadata").has("deletionTimestamp");
  }

  private ImmutableListMultimap<String, Observed.Event> events(String namespace)
      throws IOException, InterruptedException {
    ImmutableListMultimap.Builder<String, Observed.Event> events = ImmutableListMultimap.builder();
    for (JsonNode event : items("/api/v1/namespaces/" + namespace + "/events")) {
      JsonNode about = event.path("involvedObject");
      events.put(
          about.path("kind").asText() + "/" + about.path("name").asText(),
          new Observed.Event(event.path("reason").asText(), event.path("message").asText()));
    }
    return events.build();
  }

  private ImmutableSortedMap<String, Observed.Claim> claims(
      String namespace,
      ImmutableListMultimap<String, Observed.Event> events,
      Map<String, ImmutableSetMultimap<String, String>> gpus)
      throws IOException, InterruptedException {
    ImmutableSortedMap.Builder<String, Observed.Claim> claims = ImmutableSortedMap.naturalOrder();
    for (JsonNode claim : items(DRA + "/namespaces/" + namespace + "/resourceclaims")) {
      JsonNode status = claim.path("status");
      JsonNode allocation = status.path("allocation");
      claims.put(
          name(claim),
          new Observed.Claim(
              allocation.isObject(),
              node(allocation),
              devices(allocation, gpus),
              status.path("reservedFor").size(),
              events.get("ResourceClaim/" + name(claim))));
    }
    return claims.build();
  }

  private static Optional<String> node(JsonNode allocation) {
    String node =
        allocation.at("/availableOnNodes/nodeSelectorTerms/0/matchFields/0/values/0").asText("");
    return Optional.of(node).filter(name -> !name.isEmpty());
  }

  /** Devices of the handle (api.md 6.1); none if it is unreadable. */
  private static ImmutableList<Observed.Device> devices(
      JsonNode allocation, Map<String, ImmutableSetMultimap<String, String>> gpus) {
    ImmutableList.Builder<Observed.Device> devices = ImmutableList.builder();
    try {
      for (JsonNode device :
          JSON.readTree(allocation.at("/resourceHandles/0/data").asText("{}")).path("devices")) {
        String gpu = device.has("uuid") ? text(device, "uuid") : text(device, "parent");
        devices.add(
            new Observed.Device(
                text(device, "name"),
                text(device, "uuid"),
                gpus.getOrDefault(gpu, ImmutableSetMultimap.of()),
                ImmutableMap.of(Observed.Device.PARENT, gpu)));
      }
    } catch (JsonProcessingException e) {
      return ImmutableList.of();
    }
    return devices.build();
  }

  /** Attributes of each GPU, its model and its node's driver from inventories, by UUID. */
  private Map<String, ImmutableSetMultimap<String, String>> gpus()
      throws IOException, InterruptedException {
    Map<String, ImmutableSetMultimap<String, String>> gpus = new HashMap<>();
    for (JsonNode inventory : items(INVENTORIES)) {
      Map<String, JsonNode> models = new HashMap<>();
      inventory.at("/status/models").forEach(model -> models.put(text(model, "name"), model));
      for (JsonNode device : inventory.at("/status/devices")) {
        ImmutableSetMultimap.Builder<String, String> said = ImmutableSetMultimap.builder();
        said.put("node", name(inventory));
        said.put("driverVersion", text(inventory.path("status"), "driverVersion"));
        copy(device, said);
        copy(models.getOrDefault(text(device, "model"), JSON.createObjectNode()), said);
        gpus.put(text(device, "uuid"), said.build());
      }
    }
    return gpus;
  }

  private static void copy(JsonNode from, ImmutableSetMultimap.Builder<String, String> to) {
    for (Map.Entry<String, JsonNode> field : from.properties()) {
      if (field.getValue().isArray()) {
        field.getValue().forEach(value -> to.put(field.getKey(), value.asText()));
      } else {
        to.put(field.getKey(), field.getValue().asText());
      }
    }
  }

  private static String text(JsonNode object, String field) {
    return object.path(field).asText();
  }

  private JsonNode items(String path) throws IOException, InterruptedException {
    return cluster.get(path).path("items");
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }
}
