package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** What tests do with a cluster and look at, whatever it is made of. */
public abstract class ClusterProbe {
  /** Where claims and scheduling contexts are. */
  public static final String DRA = "/apis/resource.k8s.io/v1alpha2/namespaces/";

  /** Where inventories are. */
  public static final String INVENTORIES =
      "/apis/gpu.resource.example.com/v1alpha1/nodeinventories";

  private static final JsonMapper JSON = new JsonMapper();

  private final Duration limit;
  private final Duration pause;

  /**
   * Waits like this.
   *
   * @param limit of each wait
   * @param pause between two looks
   */
  protected ClusterProbe(Duration limit, Duration pause) {
    this.limit = limit;
    this.pause = pause;
  }

  /** Talks to the API server. */
  public abstract ClusterClient client();

  /** UUIDs of the GPUs that a running container of the pod sees. */
  public abstract Set<String> seenBy(String namespace, String pod)
      throws IOException, InterruptedException;

  /** Creates all objects of a text. */
  public void create(String... manifests) throws IOException, InterruptedException {
    for (String manifest : manifests) {
      for (ObjectNode object : Manifests.parse(manifest, "test")) {
        client().create(object);
      }
    }
  }

  /** Waits as long as tests wait. */
  public void until(String what, Callable<Boolean> condition) {
    await(what).atMost(limit).pollInterval(pause).until(condition);
  }

  /** Waits as long as tests wait until there is none; tells the last ones. */
  public void untilNone(String what, Callable<? extends Collection<?>> problems) {
    await(what)
        .atMost(limit)
        .pollInterval(pause)
        .untilAsserted(() -> assertThat(problems.call()).isEmpty());
  }

  /** The pod, if it exists. */
  public Optional<JsonNode> pod(String namespace, String name)
      throws IOException, InterruptedException {
    return client().find("/api/v1/namespaces/" + namespace + "/pods/" + name);
  }

  /** The claim, if it exists. */
  public Optional<JsonNode> claim(String namespace, String name)
      throws IOException, InterruptedException {
    return client().find(DRA + namespace + "/resourceclaims/" + name);
  }

  /** Whether the pod exists and is in the phase. */
  public boolean isPhase(String namespace, String pod, String phase)
      throws IOException, InterruptedException {
    return pod(namespace, pod)
        .filter(p -> p.at("/status/phase").asText().equals(phase))
        .isPresent();
  }

  /** Whether the claim exists and has its grant. */
  public boolean isAllocated(String namespace, String claim)
      throws IOException, InterruptedException {
    return claim(namespace, claim).filter(c -> c.at("/status/allocation").isObject()).isPresent();
  }

  /** Waits until the pod runs. */
  public void untilRunning(String namespace, String pod) {
    until("pod " + pod + " runs", () -> isPhase(namespace, pod, "Running"));
  }

  /** Deletes a pod, as people do. */
  public void delete(String namespace, String pod) throws IOException, InterruptedException {
    client().delete("/api/v1/namespaces/" + namespace + "/pods/" + pod);
  }

  /** Deletes a claim. */
  public void deleteClaim(String namespace, String claim) throws IOException, InterruptedException {
    client().delete(DRA + namespace + "/resourceclaims/" + claim);
  }

  /**
   * Creates a pod and its only claim, which has the same name.
   *
   * @param more of the pod's spec
   */
  public void createWithClaim(String namespace, String pod, String more)
      throws IOException, InterruptedException {
    create(
        Given.claim(namespace, pod, "gpu.example.com"), Given.podWith(namespace, pod, more, pod));
  }

  /** Deletes a pod and its claim of the same name, and waits until the pod is gone. */
  public void deleteWithClaim(String namespace, String pod)
      throws IOException, InterruptedException {
    delete(namespace, pod);
    deleteClaim(namespace, pod);
    until(pod + " is gone", () -> pod(namespace, pod).isEmpty());
  }

  /** Deletes a pod as if its node were known to be dead. */
  public void deleteByForce(String namespace, String pod) throws IOException, InterruptedException {
    client().delete("/api/v1/namespaces/" + namespace + "/pods/" + pod + "?gracePeriodSeconds=0");
  }

  /** UUIDs of the GPUs that the claim's handle names. */
  public Set<String> granted(String namespace, String claim)
      throws IOException, InterruptedException {
    Optional<JsonNode> object = claim(namespace, claim);
    return object.isPresent() ? devices(object.get()) : Set.of();
  }

  /** UUIDs of the GPUs that the handle of the claim object names. */
  static Set<String> devices(JsonNode claim) throws JsonProcessingException {
    Set<String> uuids = new TreeSet<>();
    handle(claim).path("devices").forEach(device -> uuids.add(device.path("uuid").asText()));
    return uuids;
  }

  /** What the driver wrote for its plugin; empty without a grant. */
  static JsonNode handle(JsonNode claim) throws JsonProcessingException {
    return JSON.readTree(claim.at("/status/allocation/resourceHandles/0/data").asText("{}"));
  }

  /** UIDs of the claims that nodes have made MIG devices for. */
  public List<String> madeDevices() throws IOException, InterruptedException {
    List<String> claims = new ArrayList<>();
    for (JsonNode inventory : client().get(INVENTORIES).path("items")) {
      claims.addAll(inventory.at("/status/devices").findValuesAsText("claimUID"));
    }
    return claims;
  }

  /** The claims a node still holds devices for, each as {@code namespace/name}. */
  public Set<String> prepared(String node) throws IOException, InterruptedException {
    Set<String> names = new TreeSet<>();
    client()
        .get(INVENTORIES + "/" + node)
        .at("/status/preparedClaims")
        .forEach(
            claim ->
                names.add(claim.path("namespace").asText() + "/" + claim.path("name").asText()));
    return names;
  }
}
