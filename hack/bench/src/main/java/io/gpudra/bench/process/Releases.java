package io.gpudra.bench.process;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.run.ClusterClient;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** GPUs of a {@link BigCluster} that are given back, each to the oldest claims that wait. */
final class Releases {
  private static final Comparator<JsonNode> OLDEST_FIRST =
      comparing((JsonNode metadata) -> metadata.path("creationTimestamp").asText())
          .thenComparing(metadata -> metadata.path("uid").asText());

  /** Twice as many as devices are asked; who has the last one's is not asked again. */
  private static final int CANDIDATES = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ClusterClient client;
  private final ImmutableList<String> waiting;
  private final Set<String> served = new HashSet<>();

  Releases(Path kubeconfig) throws IOException, InterruptedException {
    client = new ClusterClient(server(kubeconfig));
    List<JsonNode> found = new ArrayList<>();
    for (String namespace : BigCluster.namespaces()) {
      for (JsonNode claim : client.get(claims(namespace)).path("items")) {
        if (claim.at("/status/allocation").isMissingNode()) {
          found.add(claim.path("metadata"));
        }
      }
    }
    waiting =
        found.stream()
            .sorted(OLDEST_FIRST)
            .map(Releases::path)
            .collect(ImmutableList.toImmutableList());
  }

  private static URI server(Path kubeconfig) throws IOException {
    try (Reader reader = Files.newBufferedReader(kubeconfig)) {
      return URI.create(KubeConfig.loadKubeConfig(reader).getServer());
    }
  }

  private static String path(JsonNode named) {
    return claims(named.path("namespace").asText()) + "/" + named.path("name").asText();
  }

  private static String claims(String namespace) {
    return "/apis/resource.k8s.io/v1alpha2/namespaces/" + namespace + "/resourceclaims";
  }

  /** From the deletion of a claim whose pod is gone, of the node's first GPU. */
  double secondsUntilGranted(int node) throws IOException, InterruptedException {
    String inventory = BigCluster.inventoryPath(node);
    ObjectNode status = (ObjectNode) client.get(inventory);
    JsonNode prepared = ((ObjectNode) status.path("status")).withArray("preparedClaims").remove(0);
    client.put(inventory + "/status", status);
    String claim = path(prepared);
    ObjectNode unused = (ObjectNode) client.get(claim);
    ((ObjectNode) unused.path("status")).remove("reservedFor");
    client.put(claim + "/status", unused);
    long begin = System.nanoTime();
    client.delete(claim);
    while (!someoneHasIt()) {
      if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new IOException("nobody was granted the GPU that " + claim + " gave back");
      }
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private boolean someoneHasIt() throws IOException, InterruptedException {
    ImmutableList<String> oldest =
        waiting.stream()
            .filter(claim -> !served.contains(claim))
            .limit(CANDIDATES)
            .collect(ImmutableList.toImmutableList());
    for (String claim : oldest) {
      if (client.get(claim).at("/status/allocation").isObject()) {
        return served.add(claim);
      }
    }
    return false;
  }
}
