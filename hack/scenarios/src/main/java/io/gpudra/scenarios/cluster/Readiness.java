package io.gpudra.scenarios.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Checks that a controller leads and every node serves. */
record Readiness(ClusterClient cluster, ImmutableSet<String> nodes) {

  ImmutableList<String> missing() throws IOException, InterruptedException {
    ImmutableList.Builder<String> missing = ImmutableList.builder();
    if (!hasLeader()) {
      missing.add("no controller leads");
    }
    Set<String> silent = new HashSet<>(nodes);
    silent.removeAll(serving());
    silent.stream().sorted().forEach(node -> missing.add(node + " does not serve"));
    return missing.build();
  }

  private boolean hasLeader() throws IOException, InterruptedException {
    String leases = "/apis/coordination.k8s.io/v1/namespaces/" + Binaries.NAMESPACE + "/leases";
    return items(leases).anyMatch(lease -> !lease.at("/spec/holderIdentity").asText("").isEmpty());
  }

  private Set<String> serving() throws IOException, InterruptedException {
    Set<String> serving = new HashSet<>();
    items("/apis/gpu.resource.example.com/v1alpha1/nodeinventories")
        .filter(Readiness::isReady)
        .forEach(inventory -> serving.add(inventory.at("/metadata/name").asText()));
    return serving;
  }

  private static boolean isReady(JsonNode inventory) {
    return StreamSupport.stream(inventory.at("/status/conditions").spliterator(), false)
        .anyMatch(
            condition ->
                condition.path("type").asText().equals("Ready")
                    && condition.path("status").asText().equals("True"));
  }

  private Stream<JsonNode> items(String path) throws IOException, InterruptedException {
    return StreamSupport.stream(cluster.get(path).path("items").spliterator(), false);
  }
}
