package io.gpudra.bench.process;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.scenarios.run.ClusterClient;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Releases GPUs of a {@link BigCluster}, each of which a waiting claim then gets. */
final class Releases implements AutoCloseable {
  private static final Comparator<JsonNode> OLDEST_FIRST =
      comparing((JsonNode metadata) -> metadata.path("creationTimestamp").asText())
          .thenComparing(metadata -> metadata.path("uid").asText());

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ClusterClient client;
  private final Grants grants;

  /** The UIDs, the oldest first. */
  private final List<String> waiting;

  /**
   * An allocation.
   *
   * @param seconds since the deletion of the claim that held the GPU
   * @param older number of older waiting claims
   */
  record Grant(double seconds, int older) {}

  Releases(Path kubeconfig) throws IOException, InterruptedException {
    ApiClient api = api(kubeconfig);
    client = client(api);
    List<JsonNode> found = new ArrayList<>();
    String version = "";
    for (String namespace : BigCluster.namespaces()) {
      JsonNode list = client.get(claims(namespace));
      version = list.at("/metadata/resourceVersion").asText();
      for (JsonNode claim : list.path("items")) {
        if (claim.at("/status/allocation").isMissingNode()) {
          found.add(claim.path("metadata"));
        }
      }
    }
    grants = Grants.after(version, api);
    waiting =
        found.stream()
            .sorted(OLDEST_FIRST)
            .map(metadata -> metadata.path("uid").asText())
            .collect(Collectors.toCollection(ArrayList::new));
  }

  /** Client for the simulator, which needs no authentication. */
  static ClusterClient client(Path kubeconfig) throws IOException {
    return client(api(kubeconfig));
  }

  private static ClusterClient client(ApiClient api) {
    return new ClusterClient(URI.create(api.getBasePath()));
  }

  /** Deletes the claim of the node's first GPU while its pod still has it prepared. */
  static void delete(ClusterClient client, int node) throws IOException, InterruptedException {
    JsonNode inventory = client.get(BigCluster.inventoryPath(node));
    String claim = path(inventory.at("/status/preparedClaims/0"));
    JsonNode object = client.get(claim);
    ((ObjectNode) object.path("metadata")).remove("finalizers");
    client.put(claim, object);
    client.delete(claim);
  }

  private static ApiClient api(Path kubeconfig) throws IOException {
    try (Reader reader = Files.newBufferedReader(kubeconfig)) {
      return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(reader))
          .setReadTimeout(PATIENCE)
          .build();
    }
  }

  private static String path(JsonNode named) {
    return claims(named.path("namespace").asText()) + "/" + named.path("name").asText();
  }

  private static String claims(String namespace) {
    return "/apis/resource.k8s.io/v1alpha2/namespaces/" + namespace + "/resourceclaims";
  }

  /** Deletes the claim of the node's first GPU and waits until another claim gets it. */
  Grant giveBack(int node) throws IOException, InterruptedException {
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
    String granted = grants.nextOf(waiting);
    double seconds = (System.nanoTime() - begin) / 1e9;
    int older = waiting.indexOf(granted);
    waiting.remove(older);
    return new Grant(seconds, older);
  }

  @Override
  public void close() throws IOException {
    grants.close();
  }
}
