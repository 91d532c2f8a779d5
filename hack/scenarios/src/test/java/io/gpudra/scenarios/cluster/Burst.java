package io.gpudra.scenarios.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.Map;

/**
 * Many pods at once, each with a claim of its own: {@code pod-0} and so on.
 *
 * @param size number of pods
 */
public record Burst(ClusterProbe cluster, String namespace, int size) {

  /** Name of the template of claims for one GPU each. */
  public static final String TEMPLATE = "gpu";

  /** What claims ask for on nodes with A100 of 80 GB, by the name of their template. */
  private static final ImmutableMap<String, String> KINDS =
      ImmutableMap.<String, String>builder()
          .put("whole", "{}")
          .put("slice", "{migProfile: 1g.10gb}")
          .put("half", "{migProfile: 3g.40gb}")
          .put("share", "{mode: shared, memoryLimit: 8Gi}")
          .put(
              "turns",
              "{mode: shared, memoryLimit: 8Gi, sharing: {timeSlicingConfig: {interval: Long}}}")
          .put("served", "{mode: shared, memoryLimit: 8Gi, sharing: {strategy: MPS}}")
          .put("either", "{alternatives: [{count: 16}, {migProfile: 1g.10gb, count: 2}]}")
          .put("both", "{requests: [{name: all}, {name: some, migProfile: 1g.10gb}]}")
          .buildOrThrow();

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {namespace: %s, name: pod-%d}
      spec:
        restartPolicy: Never
        containers:
        - name: ctr0
          image: busybox
          imagePullPolicy: IfNotPresent
          command: [sh, -c, "env | sort; sleep 1"]
          resources: {claims: [{name: gpu}]}
        resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: %s}}]
      """;

  /** Makes all pods, each with a claim for a GPU. */
  public void begin() throws IOException, InterruptedException {
    for (int i = 0; i < size; i++) {
      cluster.create(POD.formatted(namespace, i, TEMPLATE));
    }
  }

  /** Makes all pods, with claims of every kind in turn. */
  public void beginWithAllKinds() throws IOException, InterruptedException {
    for (Map.Entry<String, String> kind : KINDS.entrySet()) {
      cluster.create(
          Given.parameters(namespace, kind.getKey(), kind.getValue()),
          Given.templateWith(namespace, kind.getKey(), kind.getKey()));
    }
    for (int i = 0; i < size; i++) {
      String kind = KINDS.keySet().asList().get(i % KINDS.size());
      cluster.create(POD.formatted(namespace, i, kind));
    }
  }

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
