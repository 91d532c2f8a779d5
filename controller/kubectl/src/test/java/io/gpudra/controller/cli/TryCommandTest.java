package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.RequestLog.Entry;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Single pods, claims and workloads. */
class TryCommandTest extends TryCase {
  @Test
  void aPodThatFitsIsToldWhereAndWhatItGets() throws IOException {
    assertThat(answer(TEMPLATE + POD)).isZero();

    assertThat(out)
        .hasToString(
            """
            Pod default/train: fits on worker-1, worker-2 (kube-scheduler chooses)
              on worker-1 claim train-gpu gets gpu-0
            """);
  }

  @Test
  void nothingIsWritten() throws IOException {
    fill();
    long before = cluster.objects.revision();
    cluster.server.requests().clear();

    answer(TEMPLATE + POD + "---\n" + deployment(3));

    assertThat(cluster.objects.revision()).isEqualTo(before);
    assertThat(cluster.server.requests().all())
        .extracting(Entry::verb)
        .doesNotContain("create", "update", "patch", "delete");
  }

  @Test
  void replicasAreCountedNodeByNodeUntilOneDoesNotFit() throws IOException {
    holds("a", "worker-1", "GPU-0");

    assertThat(answer(TEMPLATE + deployment(5))).isEqualTo(1);

    assertThat(out)
        .hasToString(
            """
            Deployment default/web: 3 of 5 replicas fit
              on worker-1: 1
              on worker-2: 2
              (counted with the first node by name that fits; kube-scheduler chooses)
              web-3 waits:
              claim default/web-3-gpu: 0 of 2 nodes fit: 2 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to default/a, default/web-0-gpu
                worker-1: 2 GPUs, both granted to default/a, default/web-0-gpu
                worker-2: 2 GPUs, both granted to default/web-1-gpu, default/web-2-gpu
              it fits on worker-1 after the release of default/a (used by pod default/pod-of-a)
            """);
  }

  @Test
  void whoWaitsForAWholeNodeIsToldTheFewestClaimsOfOneNode() throws IOException {
    fill();
    cluster.taint("worker-1", "broken");

    assertThat(
            answer(
                """
                apiVersion: gpu.resource.example.com/v1alpha1
                kind: GpuClaimParameters
                metadata: {name: two}
                spec: {count: 2}
                ---
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClaim
                metadata: {name: both}
                spec:
                  resourceClassName: gpu
                  parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClaimParameters, name: two}
                """,
                "-o",
                "json"))
        .isEqualTo(1);

    JsonNode remedy = Json.parse(out.toString()).at("/objects/0/waiting/remedy");
    assertThat(remedy.path("node").asText()).isEqualTo("worker-2");
    assertThat(remedy.path("release").findValuesAsText("name")).containsExactly("c", "d");
    assertThat(remedy.path("release").findValue("usedBy").path(0).asText())
        .isEqualTo("pod default/pod-of-c");
  }

  @Test
  void aClaimThatIsAllocatedAtOnceComesBeforePods() throws IOException {
    assertThat(
            answer(
                TEMPLATE
                    + POD
                    + """
                    ---
                    apiVersion: resource.k8s.io/v1alpha2
                    kind: ResourceClaim
                    metadata: {name: now}
                    spec: {resourceClassName: gpu, allocationMode: Immediate}
                    """))
        .isZero();

    assertThat(out)
        .hasToString(
            """
            ResourceClaim default/now: fits on worker-1
              on worker-1 claim now gets gpu-0
            Pod default/train: fits on worker-1, worker-2 (kube-scheduler chooses)
              on worker-1 claim train-gpu gets gpu-1
            """);
  }

  @Test
  void anObjectOfTheFileStandsInForThatOfTheCluster() throws IOException {
    fill();
    assertThat(
            answer(
                """
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClaim
                metadata: {name: a}
                spec: {resourceClassName: gpu, allocationMode: Immediate}
                """))
        .isZero();

    assertThat(out).asString().contains("fits on worker-1", "claim a gets gpu-0");
  }

  @Test
  void aClaimOfTheFileThatIsInTheClusterAlreadyKeepsWhatItHas() throws IOException {
    fill();

    assertThat(
            answer(
                """
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClaim
                metadata: {name: a}
                spec: {resourceClassName: gpu}
                """
                    + "---\n"
                    + POD.replace("resourceClaimTemplateName: one", "resourceClaimName: b")))
        .isEqualTo(1);

    assertThat(out).asString().contains("another pod uses it, and it is not shareable");
  }

  @Test
  void aTemplateOfTheClusterIsFoundAndOneThatIsNowhereIsNamed() throws IOException {
    assertThat(answer(POD)).isEqualTo(1);

    assertThat(out)
        .asString()
        .contains("claim \"gpu\": ResourceClaimTemplate default/one not found");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nodeSelector: {disk: fast} | worker-1: the pod does not select this node",
        "nodeName: worker-9 | worker-2: the pod does not select this node",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
            + " {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}"
            + " | worker-1: the pod does not select this node",
      })
  void aNodeThatThePodDoesNotSelectIsNoneForIt(String field, String expected) throws IOException {
    assertThat(answer(TEMPLATE + POD.replace("spec: {", "spec: {" + field + ", "))).isEqualTo(1);

    assertThat(out).asString().contains(expected);
  }

  @Test
  void aNodeThatRepelsThePodIsNoneForIt() throws IOException {
    ObjectNode tainted = cluster.objects.get(Resource.NODES, "", "worker-1").orElseThrow();
    tainted
        .withObject("/spec")
        .withArray("taints")
        .addObject()
        .put("key", "spot")
        .put("effect", "NoSchedule");
    cluster.objects.update(Resource.NODES, tainted);
    ObjectNode cordoned = cluster.objects.get(Resource.NODES, "", "worker-2").orElseThrow();
    cordoned.withObject("/spec").put("unschedulable", true);
    cluster.objects.update(Resource.NODES, cordoned);
    String tolerating = "spec: {tolerations: [{key: spot, operator: Exists}], ";

    assertThat(answer(TEMPLATE + POD)).isEqualTo(1);
    assertThat(answer(TEMPLATE + POD.replace("spec: {", tolerating))).isZero();

    assertThat(out)
        .asString()
        .contains("worker-1: node tainted spot", "worker-2: node cordoned", "fits on worker-1\n");
  }

  @Test
  void aNodeThatIsTooSmallForThePodIsNoneForIt() throws IOException {
    cpus("worker-1", "2");
    cpus("worker-2", "8");
    assertThat(answer(TEMPLATE + POD.replace("image: i", requesting("4")))).isZero();
    assertThat(out.toString()).startsWith("Pod default/train: fits on worker-2\n");

    out.getBuffer().setLength(0);
    assertThat(answer(TEMPLATE + POD.replace("image: i", requesting("16")))).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "  no node is considered\n",
            "    worker-1: node too small for the pod: it requests more cpu\n",
            "    worker-2: node too small for the pod: it requests more cpu\n");
  }

  @Test
  void aResourceThatANodeDoesNotListIsNotJudged() throws IOException {
    cpus("worker-1", "2");
    assertThat(answer(TEMPLATE + POD.replace("image: i", requesting("16")))).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "apps/v1 | Deployment | replicas: 2 | 2",
        "apps/v1 | StatefulSet | replicas: 3 | 3",
        "batch/v1 | Job | parallelism: 3, completions: 2 | 2",
        "batch/v1 | Job | parallelism: 4 | 4",
      })
  void whatMakesPodsIsTriedWithAsManyAsItMakesAtATime(
      String apiVersion, String kind, String count, int pods) throws IOException {
    String object =
        "{apiVersion: %s, kind: %s, metadata: {name: w}, spec: {%s, template: {spec: %s}}}"
            .formatted(apiVersion, kind, count, POD_SPEC);

    assertThat(answer(TEMPLATE + "{apiVersion: v1, kind: List, items: [" + object + "]}")).isZero();

    assertThat(out)
        .asString()
        .startsWith("%s default/w: all %d replicas fit\n".formatted(kind, pods));
  }

  @Test
  void podsOfOneClaimAreTriedOnItsNode() throws IOException {
    String claim =
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata: {name: ours}
        spec: {resourceClassName: gpu}
        ---
        """;
    String using = POD.replace("resourceClaimTemplateName: one", "resourceClaimName: ours");

    assertThat(answer(claim + using + "---\n" + using.replace("train", "other"))).isZero();

    assertThat(out)
        .hasToString(
            """
            Pod default/train: fits on worker-1, worker-2 (kube-scheduler chooses)
              on worker-1 claim ours gets gpu-0
            Pod default/other: fits, its claims are on worker-1
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{kind: Pod} | document 1: apiVersion: Required value",
        "{apiVersion: v1, kind: Pod, metadata: {}} | metadata.name: Required value",
        "{apiVersion: v1, kind: Pod, metadata: {name: a}} | spec: Required value",
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resourceClaims: 7}}"
            + " | $.spec.resourceClaims",
        "[1, 2] | an object is expected",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: -1,"
            + " template: {spec: {}}}} | spec.replicas: -1 must be greater than or equal to 0",
      })
  void whatIsWrongWithAFileNamesDocumentAndField(String text, String expected) throws IOException {
    assertThat(answer(text)).isEqualTo(2);

    assertThat(err.toString().replace('\n', ' '))
        .contains("objects.yaml, document 1")
        .contains(expected);
    assertThat(out).hasToString("");
  }

  @Test
  void aBombOfAliasesIsRefused() throws IOException {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }

    assertThat(answer(bomb.toString())).isEqualTo(2);

    assertThat(err).asString().contains("objects.yaml, line", "more than 250000 values");
  }

  @Test
  void aFileThatIsTooLargeIsRefused() throws IOException {
    assertThat(answer("a: " + "x".repeat(3 << 20))).isEqualTo(2);
    assertThat(answer("{a: 1}\n---\n".repeat(1_001))).isEqualTo(2);

    assertThat(err).asString().contains("more than 3 MiB", "more than 1000 objects");
  }
}
