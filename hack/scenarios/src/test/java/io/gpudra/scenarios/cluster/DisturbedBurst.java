package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.HashMultimap;
import com.google.common.collect.SetMultimap;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A burst of which one half comes before and the other half after something went wrong. Nothing may
 * be lost by it: no pod, no GPU, no claim; and at no time may a GPU have two holders.
 */
final class DisturbedBurst {
  private static final Duration WATCH_PAUSE = Duration.ofMillis(50);
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
          resources: {claims: %s}
        resourceClaims: %s
      """;

  private final ClusterUnderTest cluster;
  private final Burst burst;
  private final int gpusPerPod;
  private final HolderWatch grants;
  private final HolderWatch containers;
  private Runnable onProgress = () -> {};
  private int progress;

  private DisturbedBurst(ClusterUnderTest cluster, Burst burst, int gpusPerPod) {
    this.cluster = cluster;
    this.burst = burst;
    this.gpusPerPod = gpusPerPod;
    this.grants =
        HolderWatch.start(
            () -> HolderWatch.grants(cluster.cluster().doubles().api().list(Resource.CLAIMS)),
            WATCH_PAUSE);
    this.containers = HolderWatch.start(this::containers, WATCH_PAUSE);
  }

  /** Makes the namespace and the first half of the pods, with a claim each. */
  static DisturbedBurst start(ClusterUnderTest cluster, String namespace, int pods)
      throws IOException, InterruptedException {
    return start(cluster, namespace, pods, 1);
  }

  /** As the other, each pod with a generated and a named claim. */
  static DisturbedBurst ofPairs(ClusterUnderTest cluster, String namespace, int pods)
      throws IOException, InterruptedException {
    return start(cluster, namespace, pods, 2);
  }

  private static DisturbedBurst start(
      ClusterUnderTest cluster, String namespace, int pods, int gpusPerPod)
      throws IOException, InterruptedException {
    cluster.create(Given.namespace(namespace));
    Burst burst = new Burst(cluster, namespace, pods).prepare();
    DisturbedBurst started = new DisturbedBurst(cluster, burst, gpusPerPod);
    started.create(0, pods / 2);
    return started;
  }

  /** What is to happen each time that more pods run, or fewer exist. */
  DisturbedBurst disturbedBy(Runnable disturbance) {
    onProgress = disturbance;
    return this;
  }

  /** How many of its claims are granted. */
  long granted() {
    return cluster.cluster().doubles().api().list(Resource.CLAIMS).stream()
        .filter(claim -> claim.at("/metadata/namespace").asText().equals(burst.namespace()))
        .filter(claim -> claim.at("/status/allocation").isObject())
        .count();
  }

  /** Makes the other half, sees all of it run and end, and sees what is left. */
  void losesNothing() throws IOException, InterruptedException {
    create(burst.size() / 2, burst.size());
    cluster.until("all pods run", () -> progressed(running()) == burst.size());
    everyPodSeesWhatIsGranted();
    Aftermath aftermath = new Aftermath(cluster, burst.namespace());
    int gpus = burst.size() * gpusPerPod;
    cluster.until("the ledger names each GPU", () -> aftermath.ledger().size() == gpus);
    for (int i = 0; i < burst.size(); i++) {
      cluster.delete(burst.namespace(), "pod-" + i);
    }
    cluster.until("all pods are gone", () -> progressed(burst.pods().size()) == 0);
    cluster.untilNone("claims not given back", this::kept);
    aftermath.isClean();
    grants.stop();
    containers.stop();
    assertThat(grants.shared()).isEmpty();
    assertThat(containers.shared()).isEmpty();
  }

  private void create(int from, int to) throws IOException, InterruptedException {
    for (int i = from; i < to; i++) {
      if (hasNamed(i)) {
        cluster.create(Given.claim(burst.namespace(), "named-" + i, "gpu.example.com"));
      }
      cluster.create(pod(i));
    }
  }

  private boolean hasNamed(int i) {
    return gpusPerPod == 2 || i % 2 == 1;
  }

  private String pod(int i) {
    List<String> names = new ArrayList<>();
    List<String> claims = new ArrayList<>();
    if (hasNamed(i)) {
      names.add("{name: a}");
      claims.add("{name: a, source: {resourceClaimName: named-%d}}".formatted(i));
    }
    if (gpusPerPod == 2 || !hasNamed(i)) {
      names.add("{name: b}");
      claims.add("{name: b, source: {resourceClaimTemplateName: %s}}".formatted(Burst.TEMPLATE));
    }
    return POD.formatted(burst.namespace(), i, names, claims);
  }

  /** Passes the number on, and disturbs when it is another one than the last. */
  private int progressed(int now) throws IOException {
    cluster.replaceDeadControllers();
    if (now != progress) {
      progress = now;
      onProgress.run();
    }
    return now;
  }

  /** The API may say Running of a pod whose node has lost it. */
  private int running() throws IOException, InterruptedException {
    long there =
        cluster
            .running()
            .filter(container -> container.identity().namespace().equals(burst.namespace()))
            .count();
    return (int) Math.min(there, burst.inPhase("Running"));
  }

  private void everyPodSeesWhatIsGranted() throws IOException, InterruptedException {
    SetMultimap<String, String> granted = HashMultimap.create();
    for (JsonNode claim : claims()) {
      for (JsonNode pod : claim.at("/status/reservedFor")) {
        granted.putAll(pod.path("name").asText(), ClusterProbe.devices(claim));
      }
    }
    TreeSet<String> all = new TreeSet<>();
    for (int i = 0; i < burst.size(); i++) {
      String pod = "pod-" + i;
      assertThat(cluster.seenBy(burst.namespace(), pod))
          .as(pod)
          .hasSize(gpusPerPod)
          .isEqualTo(granted.get(pod));
      all.addAll(granted.get(pod));
    }
    assertThat(all).hasSize(burst.size() * gpusPerPod);
  }

  private SetMultimap<String, String> containers() {
    SetMultimap<String, String> holders = HashMultimap.create();
    cluster
        .running()
        .forEach(
            container ->
                ClusterUnderTest.gpus(container)
                    .forEach(gpu -> holders.put(gpu, container.identity().toString())));
    return holders;
  }

  private JsonNode claims() throws IOException, InterruptedException {
    return cluster
        .client()
        .get(ClusterProbe.DRA + burst.namespace() + "/resourceclaims")
        .path("items");
  }

  private List<String> kept() throws IOException, InterruptedException {
    cluster.replaceDeadControllers();
    List<String> kept = new ArrayList<>();
    for (JsonNode claim : claims()) {
      boolean hasFinalizer =
          claim.at("/metadata/finalizers").toString().contains(Binaries.DRIVER_NAME);
      if (hasFinalizer || claim.at("/status").has("allocation")) {
        kept.add(claim.toString());
      }
    }
    return kept;
  }
}
