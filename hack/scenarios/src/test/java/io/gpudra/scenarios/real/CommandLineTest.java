package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.scenarios.cluster.Given;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code kubectl gpudra}, asked by an administrator and by a user of one namespace. */
@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class CommandLineTest {
  private static final String EXAMPLE =
      RealClusterUnderTest.ROOT.resolve("manifests/examples/01-two-pods.yaml").toString();

  private static final List<String> COMMANDS =
      List.of(
          "explain waits",
          "explain runs",
          "explain claim/gpu",
          "nodes",
          "who",
          "who worker-0",
          "doctor",
          "check",
          "try -f " + EXAMPLE,
          "lint -f " + EXAMPLE,
          "top claims",
          "top namespaces");

  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void anAdministratorIsToldEverythingAndNothingIsWritten() throws Exception {
    String ns = busy("told-admin");
    assertThat(ask(ns, "explain waits")).contains("largest node has 8 GPUs, 9 wanted");
    assertThat(ask(ns, "explain claim/gpu")).contains("is allocated on worker-", "used by pod");
    assertThat(ask(ns, "who")).contains(ns);
    assertThat(ask(ns, "top namespaces -A")).contains(ns);
    for (String command : COMMANDS) {
      String answer = ask(ns, command);
      assertThat(answer).isNotBlank().doesNotContain("Exception", "note:", "\tat ");
    }
    onlyReads();
  }

  @Test
  void whoMaySeeOneNamespaceIsToldWhatWasSaidAndWhichRightIsMissing(@TempDir Path directory)
      throws Exception {
    String ns = busy("told-user");
    String user = "--kubeconfig=" + kubeconfigOfUserOf(ns, directory);
    assertThat(ask(ns, "explain waits", user))
        .contains(
            "no nodeinventories are seen: the right to list them is missing",
            "what nodes have cannot be read; scheduler and controller have said:",
            "largest node has 8 GPUs, 9 wanted");
    assertThat(ask(ns, "explain claim/gpu", user)).contains("on worker-", "GPU-");
    for (String command : COMMANDS) {
      assertThat(ask(ns, command, user)).isNotBlank().doesNotContain("Exception", "\tat ");
    }
    assertThat(ask(ns, "nodes", user)).contains("the right to list them is missing");
  }

  @Test
  void thePageShowsEachOfThemTheSameAsExplain(@TempDir Path directory) throws Exception {
    String ns = busy("shown");
    try (DashboardVisit page = cluster.dashboard("-n", ns)) {
      JsonNode picture = page.firstPicture();
      assertThat(picture.path("nodes")).hasSize(3);
      assertThat(picture.at("/waiting/pods").toString()).contains(ns, "waits");
      assertThat(page.explain(ns, "waits")).contains("largest node has 8 GPUs, 9 wanted");
    }
    Path user = kubeconfigOfUserOf(ns, directory);
    try (DashboardVisit page = cluster.dashboard("-n", ns, "--kubeconfig=" + user)) {
      JsonNode picture = page.firstPicture();
      assertThat(picture.path("nodes")).hasSize(1);
      assertThat(picture.path("nodes").toString()).contains(ns, "runs");
      assertThat(picture.at("/about/notes").toString())
          .contains("no nodeinventories are seen: the right to list them is missing");
      assertThat(page.explain(ns, "waits")).contains("largest node has 8 GPUs, 9 wanted");
    }
    onlyReads();
  }

  /** A pod that runs and one that waits. */
  private String busy(String test) throws Exception {
    String ns = cluster.namespace(test);
    cluster.create(
        Given.parameters(ns, "many", "{count: 9}"),
        Given.claimWith(ns, "gpus", "many"),
        Given.pod(ns, "waits", "gpus"),
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.pod(ns, "runs", "gpu"));
    cluster.until("the pod runs", () -> cluster.isPhase(ns, "runs", "Running"));
    cluster.until(
        "the other pod was told",
        () -> cluster.kubectl("-n", ns, "get", "events").contains("NoMatchingDevice"));
    return ns;
  }

  private String ask(String namespace, String command, String... more) throws Exception {
    List<String> words =
        Stream.of(List.of(command.split(" ")), List.of("-n", namespace), List.of(more))
            .flatMap(List::stream)
            .toList();
    return cluster.gpudra(words.toArray(String[]::new)).text();
  }

  private static void onlyReads() throws Exception {
    assumeTrue(Files.exists(RealClusterUnderTest.AUDIT_LOG), "hack/cluster/up --audit-log");
    try (Stream<String> lines = Files.lines(RealClusterUnderTest.AUDIT_LOG)) {
      List<String> calls =
          lines
              .filter(line -> line.contains("\"userAgent\":\"kubectl-gpudra\""))
              .map(CommandLineTest::call)
              .distinct()
              .toList();
      assertThat(calls).contains("list nodeinventories").allMatch(CommandLineTest::isRead);
    }
  }

  private static String call(String line) {
    try {
      JsonNode event = JSON.readTree(line);
      return event.path("verb").asText() + " " + event.at("/objectRef/resource").asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isRead(String call) {
    return call.matches("(get|list|watch) .*|create (selfsubject|subject)accessreviews");
  }

  /** As an administrator would set up a tenant. */
  private Path kubeconfigOfUserOf(String ns, Path directory) throws Exception {
    cluster.create(
        """
        apiVersion: v1
        kind: ServiceAccount
        metadata: {namespace: %1$s, name: tenant}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {namespace: %1$s, name: tenant}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
        subjects: [{kind: ServiceAccount, namespace: %1$s, name: tenant}]
        """
            .formatted(ns));
    return cluster.kubeconfigWith(
        cluster.kubectl("-n", ns, "create", "token", "tenant"), directory);
  }
}
