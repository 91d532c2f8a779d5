package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.scenarios.cluster.Given;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** kubectl answers a person's questions. */
@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class WhatPeopleSeeTest {
  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void describePodSaysWhyAPodWaitsAndWhatCameNearest() throws Exception {
    String ns = cluster.namespace("seen-pod");
    cluster.create(
        Given.parameters(ns, "many", "{count: 9}"),
        Given.claimWith(ns, "gpus", "many"),
        Given.pod(ns, "waits", "gpus"));
    cluster.until(
        "the pod's events say why",
        () ->
            cluster
                .kubectl("-n", ns, "describe", "pod", "waits")
                .contains(
                    "no device of the cluster satisfies the claim: spec.count: largest node has 8 GPUs, 9 wanted"));
  }

  @Test
  void getNodeinventoriesShowsWhatEachNodeHas() throws Exception {
    String table = cluster.kubectl("get", "nodeinventories");
    assertThat(table.lines().findFirst().orElseThrow().split("\\s{2,}"))
        .containsExactly(
            "NAME", "READY", "GPUS", "IN USE", "TAINTED", "DEVICES", "HEARTBEAT", "AGE");
    assertThat(table)
        .containsPattern("worker-0 +True +8 +0 +8x LATEST-GPU-MODEL ")
        .containsPattern("worker-1 +True +8 +0 +4x NVIDIA A100-SXM4-80GB, 4x Tesla T4 ");
  }

  @Test
  void getGpuclaimparametersShowsWhatIsAskedForAndWhatThereIs() throws Exception {
    String ns = cluster.namespace("seen-parameters");
    cluster.create(
        Given.parameters(ns, "pair", "{count: 2, memory: 40Gi}"),
        Given.parameters(ns, "typo", "{cel: device.memry > 1}"));
    cluster.until(
        "both are judged",
        () -> cluster.kubectl("-n", ns, "get", "gpuclaim").matches("(?s).*True.*False.*"));
    String table = cluster.kubectl("-n", ns, "get", "gpuclaim", "-o", "wide");
    assertThat(table.lines().findFirst().orElseThrow().split("\\s{2,}"))
        .containsExactly("NAME", "REQUEST", "VALID", "NODES", "DEVICES", "REASON", "AGE");
    assertThat(table)
        .containsPattern("pair +2 GPUs >=40Gi +True +[1-9]")
        .containsPattern("typo .*False .*InvalidExpression");
    assertThat(cluster.kubectl("-n", ns, "describe", "gpuclaim", "typo"))
        .contains("unknown device attribute \"memry\", did you mean \"memory\"?");
  }

  @Test
  void explainSaysWhatCanBeAskedFor() throws Exception {
    String spec = cluster.kubectl("explain", "gpuclaimparameters.spec");
    assertThat(spec).contains("count", "memory", "cel", "shareable", "placement");
    assertThat(spec.lines().filter(line -> line.contains("<no description>"))).isEmpty();
  }

  @Test
  void getResourceclaimsShowsWhichAreAllocatedAndUsed() throws Exception {
    String ns = cluster.namespace("seen-claims");
    cluster.create(Given.claim(ns, "gpu", "gpu.example.com"), Given.pod(ns, "runs", "gpu"));
    cluster.until("the pod runs", () -> cluster.isPhase(ns, "runs", "Running"));
    String table = cluster.kubectl("-n", ns, "get", "resourceclaims");
    assertThat(table)
        .containsPattern("gpu +gpu.example.com +WaitForFirstConsumer +allocated,reserved");
  }
}
