package io.gpudra.scenarios.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * Many pods at once, each with a GPU of its own: {@code pod-0} and so on.
 *
 * @param size number of pods
 */
public record Burst(ClusterProbe cluster, String namespace, int size) {

  /** Name of the template of claims for one GPU each. */
  public static final String TEMPLATE = "gpu";

  /** Makes the template. */
  public Burst prepare() throws IOException, InterruptedException {
    cluster.create(
        Given.parameters(namespace, "any", "{}"), Given.templateWith(namespace, TEMPLATE, "any"));
    return this;
  }

  /** Its pods, as they are now. */
  public JsonNode pods() throws IOException, InterruptedException {
    return cluster.client().get("/api/v1/namespaces/" + namespace + "/pods").path("items");
  }

  /** How many of its pods are in the phase. */
  public int inPhase(String phase) throws IOException, InterruptedException {
    int found = 0;
    for (JsonNode pod : pods()) {
      found += pod.at("/status/phase").asText().equals(phase) ? 1 : 0;
    }
    return found;
  }
}
