package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.run.Manifests;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** Gates by the webhook and by templates, groups and quotas while leader and plugins are killed. */
@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class GrantFirstTest {
  private static final String DRIVER = "gpu.resource.example.com";
  private static final int MEMBERS = 8;
  private static final int ALLOWED = 3;

  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      metadata: {namespace: %1$s, name: %2$s}
      spec:
        completions: %3$d
        parallelism: %3$d
        template:
          metadata:
            labels: {%4$s}
          spec:
            restartPolicy: Never
            %5$s
            containers:
            - name: ctr0
              image: busybox
              imagePullPolicy: IfNotPresent
              command: [sh, -c, "env | sort; sleep %6$s"]
              resources: {claims: [{name: gpu}]}
            resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: gpu}}]
      """;

  private static final String QUOTA =
      """
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuQuota
      metadata: {namespace: %s, name: team}
      spec:
        resourceClassNames: [gpu.example.com]
        hard: {gpus: %d}
      """;

  @RegisterExtension
  @Order(1)
  final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @RegisterExtension
  @Order(2)
  final Webhook webhook = Webhook.withGates(cluster);

  @Test
  void theWebhookGatesPodsWithClaimsInNamespacesWithTheLabel() throws Exception {
    String ns = labelled("gates-added");
    String other = cluster.namespace("gates-none");
    cluster.until("pods with claims get the gate", () -> isGated(ns, "gpu"));
    assertThat(isGated(ns)).as("without claims").isFalse();
    assertThat(isGated(other, "gpu")).as("without the label").isFalse();

    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "scale", Component.CONTROLLER, "--replicas=0");
    cluster.until("without a webhook pods get no gate", () -> !isGated(ns, "gpu"));
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "scale", Component.CONTROLLER, "--replicas=2");
    cluster.until("the webhook is back", () -> isGated(ns, "gpu"));
  }

  @Test
  @Tag("gates")
  @Tag("finished")
  void aGatedBurstLosesNothingWithTheLeaderAndThePluginsKilled() throws Exception {
    String ns = labelled("gated-burst");
    cluster.until("pods with claims get the gate", () -> isGated(ns, "gpu"));
    FinishingBurst burst = FinishingBurst.in(ns, cluster);
    burst.awaitMiddle();
    killLeaderAndPlugins();
    burst.loseNothing();
  }

  @Test
  void aJobOfEightIsAGroupAlsoWithTheLeaderKilledInTheMiddle() throws Exception {
    String ns = withTemplate("gated-group");
    Watching claims = cluster.watch("--namespace=" + ns, "resourceclaims");
    Watching pods = cluster.watch("--namespace=" + ns, "pods");
    String labels = "%1$s/group: train, %1$s/group-size: \"%2$d\"".formatted(DRIVER, MEMBERS);
    cluster.create(JOB.formatted(ns, "train", MEMBERS, labels, Given.GATE, "1000000"));
    cluster.until(
        "a member is allocated", () -> claims.first(Watching.State::isAllocated).isPresent());
    killLeaderAndPlugins();
    cluster.until("all members run", () -> inPhase(ns, "Running").size() == MEMBERS);

    Set<String> used = new HashSet<>();
    for (String pod : inPhase(ns, "Running")) {
      cluster.until(pod + " has told its GPU", () -> !cluster.seenBy(ns, pod).isEmpty());
      used.addAll(cluster.seenBy(ns, pod));
    }
    assertThat(used).as("GPUs of the members").hasSize(MEMBERS);
    assertThat(allocated(claims, firstLift(pods)))
        .as("allocated claims before the first member lost its gate")
        .isEqualTo(MEMBERS);
  }

  @Test
  @Tag("gates")
  @Tag("finished")
  void aQuotaHoldsAtEachMomentWithTheLeaderKilledInTheMiddle() throws Exception {
    String ns = withTemplate("quota");
    cluster.create(QUOTA.formatted(ns, ALLOWED));
    Watching claims = cluster.watch("--namespace=" + ns, "resourceclaims");
    cluster.create(
        JOB.formatted(ns, "gated", 2 * ALLOWED, "a: b", Given.GATE, "2"),
        JOB.formatted(ns, "ordinary", 2 * ALLOWED, "a: b", "", "2"));
    cluster.until("a pod has run", () -> !inPhase(ns, "Succeeded").isEmpty());
    killLeaderAndPlugins();
    cluster.until("all pods have run", () -> inPhase(ns, "Succeeded").size() == 4 * ALLOWED);

    for (Watching.State state : claims.states()) {
      assertThat(allocated(claims, state.written())).isLessThanOrEqualTo(ALLOWED);
    }
    cluster.until("its status says that nothing is used", () -> used(ns).equals("0"));
  }

  @Test
  @Tag("gates")
  void aHigherPriorityComesFirstThenTheOlderPodAlsoAfterATakeover() throws Exception {
    String ns = withTemplate("priorities");
    String high = ns + "-high";
    cluster.create(QUOTA.formatted(ns, 1), Given.claimWith(ns, "holder", "any"));
    cluster.kubectl("create", "priorityclass", high, "--value=1000");
    try {
      cluster.create(Given.pod(ns, "holder", "holder"));
      cluster.until("the holder runs", () -> cluster.isPhase(ns, "holder", "Running"));
      waits(ns, "old", "");
      waits(ns, "gated", Given.GATE);
      waits(ns, "young", "");
      waits(ns, "high", "priorityClassName: " + high);
      killLeaderAndPlugins();

      leaves(ns, "holder");
      cluster.until("the high one runs", () -> cluster.isPhase(ns, "high", "Running"));
      assertThat(inPhase(ns, "Running")).containsExactly("high");
      String last = "high";
      for (String next : List.of("old", "gated", "young")) {
        leaves(ns, last);
        cluster.until("the next one runs", () -> !inPhase(ns, "Running").isEmpty());
        assertThat(inPhase(ns, "Running")).as("after %s", last).containsExactly(next);
        last = next;
      }
    } finally {
      cluster.kubectl("delete", "priorityclass", high);
    }
  }

  private void waits(String ns, String name, String more) throws Exception {
    cluster.create(Given.claimWith(ns, name, "any"), Given.podWith(ns, name, more, name));
    cluster.until(
        name + " is told of the quota",
        () -> cluster.kubectl("-n", ns, "get", "events").contains("pod/" + name + " "));
    long second = Instant.now().getEpochSecond();
    cluster.until("the next differs in age", () -> Instant.now().getEpochSecond() > second);
  }

  private void leaves(String ns, String name) throws Exception {
    cluster.delete(ns, name);
    cluster.until(name + " is gone", () -> cluster.pod(ns, name).isEmpty());
    cluster.deleteClaim(ns, name);
  }

  private String labelled(String prefix) throws Exception {
    String ns = withTemplate(prefix);
    cluster.kubectl("label", "namespace", ns, DRIVER + "/grant-first=true");
    return ns;
  }

  private String withTemplate(String prefix) throws Exception {
    String ns = cluster.namespace(prefix);
    cluster.create(Given.parameters(ns, "any", "{}"), Given.templateWith(ns, "gpu", "any"));
    return ns;
  }

  /** Whether a pod with the claims would be stored with our gate. */
  private boolean isGated(String ns, String... claims) throws Exception {
    JsonNode pod = Manifests.parse(Given.pod(ns, "dry", claims), "test").get(0);
    JsonNode stored =
        cluster.client().post("/api/v1/namespaces/%s/pods?dryRun=All".formatted(ns), pod);
    return stored.at("/spec/schedulingGates/0/name").asText().equals(DRIVER + "/granted");
  }

  private void killLeaderAndPlugins() throws Exception {
    cluster.deleteByForce(RealClusterUnderTest.NAMESPACE, cluster.leader());
    cluster.killPlugins();
  }

  private List<String> inPhase(String ns, String phase) throws Exception {
    return cluster
        .kubectl("-n", ns, "get", "pods", "--field-selector=status.phase=" + phase, "-o", "name")
        .lines()
        .map(name -> name.replace("pod/", ""))
        .toList();
  }

  /** When the first pod without a gate was written. */
  private static long firstLift(Watching pods) {
    return pods.states().stream()
        .filter(state -> state.object().at("/spec/schedulingGates").isMissingNode())
        .mapToLong(Watching.State::written)
        .min()
        .orElseThrow();
  }

  /** How many claims were allocated when that was written. */
  private static int allocated(Watching claims, long written) {
    Set<String> allocated = new TreeSet<>();
    ImmutableList<Watching.State> states = claims.states();
    states.stream()
        .filter(state -> state.written() <= written)
        .forEach(
            state -> {
              allocated.remove(state.name());
              if (state.isAllocated() && !state.deleted()) {
                allocated.add(state.name());
              }
            });
    return allocated.size();
  }

  private String used(String ns) throws Exception {
    return cluster
        .kubectl("-n", ns, "get", "gpuquota", "team", "-o", "jsonpath={.status.used.gpus}")
        .strip();
  }
}
