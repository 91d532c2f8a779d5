package io.gpudra.scenarios.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.scenarios.script.Observed;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Looks at one namespace as a person with kubectl would. */
public final class Observer {
  private static final String DRA = "/apis/resource.k8s.io/v1alpha2";
  private static final String INVENTORIES =
      "/apis/gpu.resource.example.com/v1alpha1/nodeinventories";
  private static final JsonMapper JSON = new JsonMapper();

  private final ClusterClient cluster;
  private final NodeView nodes;

  /** Asks the server, and the nodes for what it does not know. */
  public Observer(ClusterClient cluster, NodeView nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  Observed observe(String namespace) throws IOException, InterruptedException {
    var events = events(namespace);
    ImmutableSortedMap.Builder<String, Observed.Pod> pods = ImmutableSortedMap.naturalOrder();
    ImmutableSortedMap.Builder<String, Observed.Container> containers =
        ImmutableSortedMap.naturalOrder();
    Map<String, String> models = models();
    for (JsonNode pod : items("/api/v1/namespaces/" + namespace + "/pods")) {
      String name = name(pod);
      String phase = pod.at("/status/phase").asText("Pending");
      pods.put(name, new Observed.Pod(phase, events.get("Pod/" + name)));
      for (JsonNode container : pod.at("/spec/containers")) {
        String containerName = container.path("name").asText();
        if (phase.equals("Running")) {
          nodes
              .environment(namespace, name, containerName)
              .ifPresent(
                  environment ->
                      containers.put(
                          name + "/" + containerName, Observed.Container.of(environment, models)));
        }
      }
    }
    return new Observed(containers.build(), pods.build(), claims(namespace, events));
  }

  /** What the kubelets could not prepare: a later try may succeed and hide it. */
  ImmutableList<String> failedPrepares(String namespace) throws IOException, InterruptedException {
    return events(namespace).entries().stream()
        .filter(event -> event.getValue().reason().equals("FailedPrepareDynamicResources"))
        .map(event -> event.getKey() + ": " + event.getValue().message())
        .collect(ImmutableList.toImmutableList());
  }

  /** What keeps the cluster from being as it was before the scenario, one sentence each. */
  public ImmutableList<String> leftovers(String namespace)
      throws IOException, InterruptedException {
    ImmutableList.Builder<String> left = ImmutableList.builder();
    for (String kind : ImmutableList.of("resourceclaims", "podschedulingcontexts")) {
      items(DRA + "/namespaces/" + namespace + "/" + kind)
          .forEach(object -> left.add("%s %s is left".formatted(kind, name(object))));
    }
    if (cluster
        .find("/api/v1/namespaces/" + namespace)
        .filter(found -> !isEndingNamespace(found))
        .isPresent()) {
      left.add("namespace %s is left".formatted(namespace));
    }
    for (JsonNode inventory : items(INVENTORIES)) {
      JsonNode status = inventory.path("status");
      status
          .path("preparedClaims")
          .forEach(
              claim ->
                  left.add(
                      "%s still holds devices for claim %s"
                          .formatted(name(inventory), claim.path("name").asText())));
      if (status.path("gpusInUse").asInt() != 0) {
        left.add(
            "%s still counts %d GPUs in use"
                .formatted(name(inventory), status.path("gpusInUse").asInt()));
      }
    }
    nodes.cdiFiles().forEach(file -> left.add("CDI file " + file + " is left"));
    return left.build();
  }

  /** A real one goes five seconds after what was in it; only who makes it anew has to wait. */
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
      String namespace, ImmutableListMultimap<String, Observed.Event> events)
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
              uuids(allocation),
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

  /** The handle is readable on purpose (api.md 6.1); one that is not names no GPU. */
  private static ImmutableSet<String> uuids(JsonNode allocation) {
    ImmutableSet.Builder<String> uuids = ImmutableSet.builder();
    try {
      JSON.readTree(allocation.at("/resourceHandles/0/data").asText("{}"))
          .path("devices")
          .forEach(device -> uuids.add(device.path("uuid").asText()));
    } catch (JsonProcessingException e) {
      return ImmutableSet.of();
    }
    return uuids.build();
  }

  private Map<String, String> models() throws IOException, InterruptedException {
    Map<String, String> models = new HashMap<>();
    for (JsonNode inventory : items(INVENTORIES)) {
      inventory
          .at("/status/devices")
          .forEach(
              device -> models.put(device.path("uuid").asText(), device.path("model").asText()));
    }
    return models;
  }

  private JsonNode items(String path) throws IOException, InterruptedException {
    return cluster.get(path).path("items");
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }
}
