package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No part may do more than it must. */
@Tag("real")
@ResourceLock(ForcedDeletionTest.NODE)
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class AccessTest {
  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;
  private static final String VIEWER = "gpudra-test-viewer";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private final Path directory;

  AccessTest(@TempDir Path directory) {
    this.directory = directory;
  }

  /** {@code -Dgolden.update=true} writes the files anew. */
  @ParameterizedTest(name = "{0} has exactly the rights of its golden file")
  @CsvSource({"gpudra-controller", "gpudra-kubeletplugin"})
  void aServiceAccountHasExactlyTheRightsOfItsGoldenFile(String account) throws Exception {
    Path golden = Path.of("src/test/resources/access", account + ".txt");
    String rights =
        "in namespace %s:%n%s%nelsewhere:%n%s"
            .formatted(NAMESPACE, rights(account, NAMESPACE), rights(account, "default"));
    if (Boolean.getBoolean("golden.update")) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, rights);
    }
    assertThat(rights).isEqualTo(Files.readString(golden));
  }

  @Test
  void aPluginWritesTheInventoryOfItsOwnNodeAndNoOther() throws Exception {
    Path plugin = kubeconfigOfPluginOn("worker-0");
    URI api = cluster.proxy("--kubeconfig=" + plugin);
    HttpResponse<String> own = patchInventory(api, "worker-0");
    assertThat(own.statusCode()).as(own.body()).isEqualTo(200);
    HttpResponse<String> other = patchInventory(api, "worker-1");
    assertThat(other.statusCode()).isEqualTo(403);
    assertThat(other.body())
        .contains("node \\\"worker-0\\\" may not write the inventory of node \\\"worker-1\\\"");
  }

  @Test
  void aPluginWritesNoSpecAndSeesNoPodsAndNoSecrets() throws Exception {
    String plugin = "--kubeconfig=" + kubeconfigOfPluginOn("worker-0");
    assertThat(cluster.tryKubectl(plugin, "annotate", "nodeinventory", "worker-0", "a=b").text())
        .contains("cannot patch resource \"nodeinventories\"");
    assertThat(cluster.tryKubectl(plugin, "get", "pods", "--all-namespaces").text())
        .contains("cannot list");
    assertThat(cluster.tryKubectl(plugin, "get", "secrets", "--namespace=" + NAMESPACE).text())
        .contains("cannot list");
  }

  @Test
  void whoMayViewTheClusterReadsWhatThereIsToAskFor() throws Exception {
    cluster.kubectl(
        "create", "clusterrolebinding", VIEWER, "--clusterrole=view", "--user=" + VIEWER);
    try {
      for (String what : List.of("resourceclasses", "gpuclassparameters", "nodeinventories")) {
        cluster.until(
            VIEWER + " reads " + what,
            () ->
                cluster
                    .tryKubectl("auth", "can-i", "list", what, "--as=" + VIEWER)
                    .text()
                    .contains("yes"));
      }
    } finally {
      cluster.kubectl("delete", "clusterrolebinding", VIEWER);
    }
  }

  /** Sorted, because the server lists roles, and the verbs of several, in no order. */
  private String rights(String account, String namespace) throws Exception {
    List<String> lines =
        cluster
            .kubectl(
                "auth",
                "can-i",
                "--list",
                "--namespace=" + namespace,
                "--as=system:serviceaccount:%s:%s".formatted(NAMESPACE, account))
            .lines()
            .map(line -> inOrder(line.stripTrailing()))
            .toList();
    return lines.get(0)
        + "\n"
        + lines.stream().skip(1).sorted().distinct().collect(Collectors.joining("\n"));
  }

  private static String inOrder(String line) {
    int verbs = line.lastIndexOf('[') + 1;
    return verbs == 0
        ? line
        : line.substring(0, verbs)
            + Stream.of(line.substring(verbs, line.length() - 1).split(" "))
                .sorted()
                .collect(Collectors.joining(" ", "", "]"));
  }

  /** What the plugin of the node could do with its token. */
  private Path kubeconfigOfPluginOn(String node) throws Exception {
    return cluster.kubeconfigWith(
        cluster.kubectl(
            "--namespace=" + NAMESPACE,
            "create",
            "token",
            "gpudra-kubeletplugin",
            "--bound-object-kind=Pod",
            "--bound-object-name=" + cluster.awaitPluginOn(node)),
        directory);
  }

  private static HttpResponse<String> patchInventory(URI api, String node) throws Exception {
    HttpRequest patch =
        HttpRequest.newBuilder(
                api.resolve(RealClusterUnderTest.INVENTORIES + "/" + node + "/status?dryRun=All"))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Content-Type", "application/merge-patch+json")
            .method("PATCH", BodyPublishers.ofString("{\"status\": {\"summary\": \"forged\"}}"))
            .build();
    return HttpClient.newHttpClient().send(patch, BodyHandlers.ofString());
  }
}
