package io.gpudra.scenarios.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

/**
 * Creates pods of one GPU each, of which few can run at once, and ends them in waves until all have
 * run. Reports the cost for the controller.
 */
public final class Load {
  private static final String NAMESPACE = "load";
  private static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
  private static final String RESOURCES = "/apis/resource.k8s.io/v1alpha2/namespaces/" + NAMESPACE;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration QUIET = Duration.ofSeconds(2);

  private final LocalCluster cluster;
  private final ClusterClient client;
  private final Consumer<String> tell;
  private final int pods;
  private final int gpus;
  private final Usage.Meter meter;

  private final Set<String> ran = new HashSet<>();

  /**
   * For a running, empty cluster.
   *
   * @param gpus of the cluster, fewer than pods
   * @param tell receives the output
   */
  public Load(LocalCluster cluster, int pods, int gpus, Consumer<String> tell) throws IOException {
    this.cluster = cluster;
    this.client = new ClusterClient(cluster.server());
    this.pods = pods;
    this.gpus = gpus;
    this.tell = tell;
    this.meter = new Usage.Meter(cluster);
  }

  /**
   * Runs all phases.
   *
   * @param idle duration of the idle measurement
   * @return whether all pods ran and nothing is left
   */
  public boolean run(Duration idle) throws IOException, InterruptedException {
    create();
    if (!reached(this::waiting)) {
      return false;
    }
    Usage arrived = untilQuiet();
    say(
        "%d pods wait for %d GPUs after %.1f s: %s",
        pods - gpus, gpus, arrived.seconds(), arrived.perPod(pods));
    Thread.sleep(idle.toMillis());
    say("nothing changes for %.1f s: %s", idle.toMillis() / 1e3, meter.take().perSecond());
    if (!reached(this::wave)) {
      return false;
    }
    Usage ended = meter.take();
    say("all ran after %.1f s: %s", ended.seconds(), ended.perPod(pods));
    return reached(this::left);
  }

  private void say(String format, Object... values) {
    tell.accept(String.format(Locale.ROOT, format, values));
  }

  private boolean reached(Wait.Check check) throws IOException, InterruptedException {
    ImmutableList<String> problems = new Wait(LIMIT, PAUSE, cluster).until(check);
    problems.forEach(tell);
    return problems.isEmpty();
  }

  private void create() throws IOException, InterruptedException {
    String common =
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: %s}
        ---
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaimTemplate
        metadata: {namespace: %s, name: one}
        spec: {spec: {resourceClassName: gpu.example.com}}
        """
            .formatted(NAMESPACE, NAMESPACE);
    for (var object : Manifests.parse(common, "load")) {
      client.create(object);
    }
    for (int i = 0; i < pods; i++) {
      client.create(Manifests.parse(pod(i), "load").get(0));
      meter.look();
    }
  }

  private static String pod(int number) {
    return """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: pod-%d}
        spec:
          restartPolicy: Never
          containers:
          - name: ctr0
            image: busybox
            resources: {claims: [{name: gpu}]}
          resourceClaims:
          - {name: gpu, source: {resourceClaimTemplateName: one}}
        """
        .formatted(NAMESPACE, number);
  }

  private ImmutableList<String> waiting() throws IOException, InterruptedException {
    int running = running().size();
    int contexts = client.get(RESOURCES + "/podschedulingcontexts").path("items").size();
    return running == gpus && contexts == pods - gpus
        ? ImmutableList.of()
        : ImmutableList.of("%d pods run, %d wait for a GPU".formatted(running, contexts));
  }

  private Usage untilQuiet() throws IOException, InterruptedException {
    Usage all = meter.take();
    Usage last = all;
    do {
      Thread.sleep(QUIET.toMillis());
      last = meter.take();
      all = all.plus(last);
    } while (last.calls() > 0);
    return all;
  }

  /** Ends every pod that runs. */
  private ImmutableList<String> wave() throws IOException, InterruptedException {
    meter.look();
    for (String pod : running()) {
      if (ran.add(pod)) {
        client.delete(PODS + "/" + pod);
      }
    }
    return ran.size() == pods
        ? ImmutableList.of()
        : ImmutableList.of("%d of %d pods ran".formatted(ran.size(), pods));
  }

  private ImmutableList<String> left() throws IOException, InterruptedException {
    int claims = client.get(RESOURCES + "/resourceclaims").path("items").size();
    return claims == 0 ? ImmutableList.of() : ImmutableList.of(claims + " claims are left");
  }

  private ImmutableList<String> running() throws IOException, InterruptedException {
    return StreamSupport.stream(client.get(PODS).path("items").spliterator(), false)
        .filter(pod -> pod.at("/status/phase").asText().equals("Running"))
        .map(Load::name)
        .collect(ImmutableList.toImmutableList());
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/name").asText();
  }
}
