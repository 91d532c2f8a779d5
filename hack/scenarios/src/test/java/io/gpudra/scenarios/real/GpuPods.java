package io.gpudra.scenarios.real;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
import io.gpudra.scenarios.cluster.HolderWatch;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pods that use GPUs.
 *
 * @param namespaces theirs
 * @param known what containers saw, by the pod's UID
 */
record GpuPods(
    RealClusterUnderTest cluster,
    ImmutableList<String> namespaces,
    Map<String, ImmutableList<String>> known) {
  private static final String CLAIMS = "/apis/resource.k8s.io/v1alpha2/resourceclaims";

  /** Knows nothing yet. */
  GpuPods(RealClusterUnderTest cluster, ImmutableList<String> namespaces) {
    this(cluster, namespaces, new ConcurrentHashMap<>());
  }

  /**
   * Who has which GPU: claims by their grants, pods by what a device plugin told their containers.
   */
  SetMultimap<String, String> holders() throws IOException, InterruptedException {
    SetMultimap<String, String> holders =
        HashMultimap.create(HolderWatch.grants(cluster.client().get(CLAIMS).path("items")));
    for (JsonNode pod : running()) {
      for (String uuid : ofDevicePlugin(pod)) {
        // The first of the slices that a claim for all of the GPU has.
        holders.put(uuid + "/0", "pod " + pod.at("/metadata/name").asText());
      }
    }
    return holders;
  }

  JsonNode in(String namespace) throws IOException, InterruptedException {
    return cluster.client().get("/api/v1/namespaces/" + namespace + "/pods").path("items");
  }

  /** Pods whose containers run, and those that are told to end. */
  private List<JsonNode> running() throws IOException, InterruptedException {
    List<JsonNode> running = new ArrayList<>();
    for (String namespace : namespaces) {
      in(namespace).forEach(running::add);
    }
    running.removeIf(pod -> !pod.at("/status/phase").asText().equals("Running"));
    return running;
  }

  /** How often containers were started again, by the UIDs of the pods that are not on the node. */
  ImmutableMap<String, Integer> restartsBut(String node) throws IOException, InterruptedException {
    return running().stream()
        .filter(pod -> !pod.at("/metadata").has("deletionTimestamp"))
        .filter(pod -> !pod.at("/spec/nodeName").asText().equals(node))
        .collect(
            toImmutableMap(
                pod -> pod.at("/metadata/uid").asText(),
                pod -> pod.at("/status/containerStatuses/0/restartCount").asInt()));
  }

  /** Where pods of the namespace run. */
  ImmutableSet<String> nodesOf(String namespace) throws IOException, InterruptedException {
    return running().stream()
        .filter(pod -> pod.at("/metadata/namespace").asText().equals(namespace))
        .map(pod -> pod.at("/spec/nodeName").asText())
        .collect(toImmutableSet());
  }

  /** UUIDs of the GPUs that pods have of the device plugin. */
  Set<String> ofDevicePlugin() throws IOException, InterruptedException {
    Set<String> uuids = new HashSet<>();
    for (JsonNode pod : running()) {
      uuids.addAll(ofDevicePlugin(pod));
    }
    return uuids;
  }

  /** Once its container has told. */
  private ImmutableList<String> ofDevicePlugin(JsonNode pod)
      throws IOException, InterruptedException {
    String uid = pod.at("/metadata/uid").asText();
    if (!known.containsKey(uid)) {
      Map<String, String> environment = environment(pod);
      if (!environment.isEmpty()) {
        known.put(uid, uuids(environment));
      }
    }
    return known.getOrDefault(uid, ImmutableList.of());
  }

  private static ImmutableList<String> uuids(Map<String, String> environment) {
    String visible = environment.getOrDefault("NVIDIA_VISIBLE_DEVICES", "void");
    return visible.equals("void")
        ? ImmutableList.of()
        : ImmutableList.copyOf(Splitter.on(',').split(visible));
  }

  /** A pod that is gone meanwhile has told what it had, if it had anything. */
  private Map<String, String> environment(JsonNode pod) throws IOException, InterruptedException {
    try {
      return cluster.environment(
          pod.at("/metadata/namespace").asText(),
          pod.at("/metadata/name").asText(),
          pod.at("/spec/containers/0/name").asText());
    } catch (ClusterClient.Refused e) {
      return Map.of();
    }
  }
}
