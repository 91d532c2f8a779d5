package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code docs/operate/later-kubernetes.md} says, on a cluster of {@code hack/cluster/up
 * --etcd} on which the driver is installed. Nothing leads back, so each test needs a cluster of its
 * own.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class UpgradingTest {
  private static final String NAMESPACE = "upgrading";
  private static final String NODE = "worker-0";
  private static final String SPACE =
      """
      apiVersion: v1
      kind: Namespace
      metadata: %s
      ---
      apiVersion: v1
      kind: ServiceAccount
      metadata: {namespace: %s, name: default}
      ---
      """;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Commands shell =
      new Commands(
          ImmutableList.of(
              "env",
              "--chdir=" + RealClusterUnderTest.ROOT,
              RealClusterUnderTest.PATH,
              "bash",
              "-euc"));
  private final Administrator administrator =
      new Administrator("OVERLAY=manifests/overlays/local", "NAMESPACE=" + NAMESPACE);
  private final TypedPage page;
  private final Path directory;

  UpgradingTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    this.page =
        TypedPage.read(RealClusterUnderTest.ROOT.resolve("docs/operate/later-kubernetes.md"));
  }

  @Test
  @Tag("upgrading")
  void aDeploymentIsThereAfterTheUpgradeAndNothingIsLeftBehind() throws Exception {
    deploy();
    assertThat(steps())
        .contains(
            "WorkloadRuns: Deployment upgrading/train",
            "ClassStored: ResourceClass gpu.example.com",
            "StateFileStays: Node worker-0");
    types("Translate the objects, days before");
    types("Stop the pods");
    types("Delete the old objects");
    types("Remove the driver");
    runs("kubectl gpudra doctor --upgrade");

    runs("hack/cluster/apiserver 1.31");
    assertThat(steps()).containsExactly("ApiOff: resource.k8s.io");
    runs("hack/cluster/apiserver 1.34");
    types("Apply the new objects");
    assertThat(template()).isEqualTo("gpu");
    runs("kubectl -n upgrading scale deployment train --replicas=1");
    takesTheExamples("1.36");
    takesTheExamples("1.37");
    assertThat(template()).isEqualTo("gpu");
    runs("kubectl gpudra doctor --upgrade");
  }

  @Test
  @Tag("leftovers")
  void whatWasLeftBehindIsFoundAndMended() throws Exception {
    deploy();
    types("Stop the pods");
    runs("hack/cluster/apiserver --unready 1.34");
    await().atMost(LIMIT).until(() -> steps().containsAll(lost()));
    assertThat(shell.run(scale()).text()).contains("must specify one of");

    runs("hack/cluster/apiserver --unready 1.37");
    assertThat(shell.run(ImmutableList.of("kubectl get --raw '/readyz?verbose'")).text())
        .contains("storage-readiness failed");
    await().atMost(LIMIT).until(() -> steps().containsAll(lost()));
    types("ListUnreadable");
    await().atMost(LIMIT).until(() -> answers("kubectl get --raw /readyz"));
    types("ReferenceVanished");
    runs(scale().get(0));
    assertThat(steps()).doesNotContainAnyElementsOf(lost());

    aStateFileIsRemoved();
  }

  private static List<String> lost() {
    return List.of(
        "ListUnreadable: resourceclaimtemplates",
        "ReferenceVanished: Deployment " + NAMESPACE + "/train");
  }

  private static ImmutableList<String> scale() {
    return ImmutableList.of("kubectl -n upgrading scale deployment train --replicas=1");
  }

  private void aStateFileIsRemoved() throws Exception {
    runs("hack/cluster/node kubelet %s 1.37".formatted(NODE));
    String log = "hack/cluster/logs 40 | grep 'checkpoint is corrupted'";
    await().atMost(LIMIT).until(() -> answers(log));
    notReady();
    assertThat(steps()).contains("KubeletDoesNotStart: Node " + NODE);
    runs("hack/cluster/node exec %s %s".formatted(NODE, removal()));
    await().atMost(LIMIT).until(() -> answers("kubectl get node %s | grep v1.37".formatted(NODE)));
  }

  /** As the controller manager would mark it, which does not run. */
  private void notReady() throws Exception {
    runs(
        "kubectl patch node %s --subresource=status --type=strategic -p '%s'"
            .formatted(
                NODE,
                "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\"}]}}"));
  }

  private String removal() {
    return String.join("", page.blocks().get("Replace the control plane")).strip();
  }

  private void deploy() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("train.yaml"),
            """
            apiVersion: v1
            kind: Namespace
            metadata: {name: upgrading}
            ---
            apiVersion: resource.k8s.io/v1alpha2
            kind: ResourceClaimTemplate
            metadata: {name: gpu, namespace: upgrading}
            spec: {spec: {resourceClassName: gpu.example.com}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: train, namespace: upgrading}
            spec:
              replicas: 2
              selector: {matchLabels: {app: train}}
              template:
                metadata: {labels: {app: train}}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - name: train
                    image: busybox
                    imagePullPolicy: Never
                    command: [sleep, infinity]
                    resources: {claims: [{name: gpu}]}
                  resourceClaims:
                  - name: gpu
                    source: {resourceClaimTemplateName: gpu}
            """);
    runs("kubectl apply -f " + file);
    runs("kubectl -n upgrading rollout status deployment/train --timeout=2m");
  }

  private String template() throws Exception {
    return runs(
        "kubectl -n upgrading get deployment train"
            + " -o jsonpath='{..resourceClaims[0].resourceClaimTemplateName}'");
  }

  /** Only tried, because no driver is there for them. */
  private void takesTheExamples(String version) throws Exception {
    Path examples = Path.of("target/examples").resolve(version);
    runs("hack/cluster/apiserver " + version);
    runs("kubectl gpudra migrate -f manifests/examples -o %s --to %s".formatted(examples, version));
    runs("find %s -name '*.expect.yaml' -delete".formatted(examples));
    Path namespaces = directory.resolve(version + ".yaml");
    Files.writeString(namespaces, namespaces(RealClusterUnderTest.ROOT.resolve(examples)));
    runs("kubectl apply -f %s && kubectl apply -k crds".formatted(namespaces));
    runs("kubectl wait --for=condition=Established crd/nodeinventories.gpu.resource.example.com");
    runs("kubectl apply -R --dry-run=server -f " + examples);
  }

  /**
   * The other objects are tried in them. Each has the account that the controller manager, which
   * does not run, would make.
   */
  private static String namespaces(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      StringBuilder namespaces = new StringBuilder();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        for (ObjectNode object : Manifests.parse(Files.readString(file), file.toString())) {
          if (object.path("kind").asText().equals("Namespace")) {
            JsonNode metadata = object.path("metadata");
            namespaces.append(SPACE.formatted(metadata, metadata.path("name").asText()));
          }
        }
      }
      return namespaces.toString();
    }
  }

  private List<String> steps() throws Exception {
    return types("Leaving Kubernetes 1.30").complaints();
  }

  private Administrator.Said types(String section) throws Exception {
    return administrator.types(String.join("", page.blocks().get(section)), NODE);
  }

  /** What the line prints; it ends with 0. */
  private String runs(String line) throws Exception {
    System.out.println(line);
    return shell.output(ImmutableList.of(line));
  }

  private boolean answers(String line) throws Exception {
    return shell.run(ImmutableList.of(line)).code() == 0;
  }
}
