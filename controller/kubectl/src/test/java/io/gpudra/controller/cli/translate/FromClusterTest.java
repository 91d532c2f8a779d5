package io.gpudra.controller.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.cli.GpudraCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kubectl gpudra migrate --from-cluster} on a server with some lists. */
class FromClusterTest {
  private static final String CLASSES = "/apis/resource.k8s.io/v1alpha2/resourceclasses";
  private static final String CLAIMS =
      "/apis/resource.k8s.io/v1alpha2/namespaces/team-a/resourceclaims";
  private static final String NONE = "{\"items\": []}";

  private static final String STORED_CLASS =
      """
      {"metadata": {"name": "c", "uid": "1", "resourceVersion": "2",
        "creationTimestamp": "3", "managedFields": [{"manager": "4"}]},
       "driverName": "gpu.resource.example.com"}
      """;
  private static final String STORED_CLAIM =
      """
      {"metadata": {"name": "x", "namespace": "team-a", "labels": {"a": "b"},
        "finalizers": ["gpu.resource.example.com/deletion-protection", "mine"],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
       "spec": {"resourceClassName": "c"},
       "status": {"driverName": "gpu.resource.example.com"}}
      """;
  private static final String OWNED_CLAIM =
      """
      {"metadata": {"name": "made", "namespace": "team-a", "ownerReferences": [{"kind": "Pod"}]},
       "spec": {"resourceClassName": "c"}}
      """;
  private static final String MIGRATED_CLAIM =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaim
      metadata:
        name: x
        namespace: team-a
        labels:
          a: b
        finalizers:
        - mine
      spec:
        devices:
          requests:
          - name: gpu
            exactly:
              deviceClassName: c
              selectors:
              - cel:
                  expression: device.attributes["gpu.resource.example.com"].type == "gpu"
      """;

  private final MockWebServer server = new MockWebServer();
  private final StringWriter err = new StringWriter();
  private final Map<String, String> lists = new TreeMap<>();
  private Path directory = Path.of("");

  /** Answers with the lists, and else with an empty one. */
  private final class ListDispatcher extends Dispatcher {
    @Override
    public MockResponse dispatch(RecordedRequest request) {
      String path = String.valueOf(request.getPath()).replace("?limit=250", "");
      String list = lists.getOrDefault(path, NONE);
      return list.matches("\\d+")
          ? new MockResponse().setResponseCode(Integer.parseInt(list))
          : new MockResponse().setBody(list);
    }
  }

  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    directory = temporary;
    server.setDispatcher(new ListDispatcher());
    server.start();
    Files.writeString(
        directory.resolve("config"),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: k, user: u, namespace: team-a}}]
        clusters: [{name: k, cluster: {server: "http://%s:%d"}}]
        users: [{name: u, user: {}}]
        """
            .formatted(server.getHostName(), server.getPort()));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private int migrate(String... options) {
    String[] all =
        Stream.concat(
                Stream.of(
                    "migrate",
                    "--from-cluster",
                    "--kubeconfig=" + directory.resolve("config"),
                    "--output=" + directory.resolve("new")),
                Stream.of(options))
            .toArray(String[]::new);
    return GpudraCommand.command(all).setErr(new PrintWriter(err)).execute(all);
  }

  private String written(String file) throws IOException {
    return Files.readString(directory.resolve("new").resolve(file));
  }

  private static String list(String... objects) {
    return "{\"items\": [%s]}".formatted(String.join(", ", objects));
  }

  @Test
  void objectsLoseWhatTheServerAdds() throws IOException {
    lists.put(CLASSES, list(STORED_CLASS));
    lists.put(CLAIMS, list(STORED_CLAIM, OWNED_CLAIM));

    assertThat(migrate()).isZero();

    assertThat(written("team-a/resourceclaim.x.yaml")).isEqualTo(MIGRATED_CLAIM);
    assertThat(written("_cluster/resourceclass.c.yaml"))
        .startsWith(
            """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata:
              name: c
            spec:
            """);
    assertThat(err.toString()).endsWith("in 2 files: 0 same, 0 weaker, 0 lost\n");
  }

  @Test
  void podsWithoutClaimsAreLeftOut() throws IOException {
    lists.put(
        "/apis/apps/v1/deployments",
        list(
            """
            {"metadata": {"name": "d", "namespace": "b"}, "spec": {"template": {"spec":
             {"resourceClaims": [{"name": "gpu", "source": {"resourceClaimTemplateName": "t"}}]}}}}
            """,
            "{\"metadata\": {\"name\": \"e\", \"namespace\": \"b\"}, \"spec\": {}}"));

    assertThat(migrate("-A")).isZero();

    assertThat(written("b/deployment.d.yaml")).contains("resourceClaimTemplateName: t\n");
    assertThat(directory.resolve("new/b/deployment.e.yaml")).doesNotExist();
  }

  @Test
  void aListIsReadToItsEnd() throws IOException {
    lists.put(
        CLASSES,
        "{\"metadata\": {\"continue\": \"a b\"}, \"items\": [{\"metadata\": {\"name\": \"c\"}}]}");
    lists.put(CLASSES + "&continue=a+b", list("{\"metadata\": {\"name\": \"d\"}}"));

    assertThat(migrate("-A")).isZero();

    assertThat(directory.resolve("new/_cluster/resourceclass.d.yaml")).exists();
  }

  @Test
  void aKindThatMayNotBeReadIsNamed() {
    lists.put(CLASSES, "403");

    assertThat(migrate()).isEqualTo(2);

    assertThat(err)
        .hasToString("not translated: resourceclasses cannot be read: the server answered 403\n");
    assertThat(directory.resolve("new")).doesNotExist();
  }

  @Test
  void aLaterServerHasNothingToMigrate() {
    lists.put(CLASSES, "404");

    assertThat(migrate()).isEqualTo(2);

    assertThat(err)
        .hasToString(
            "not translated: this cluster has no objects of resource.k8s.io/v1alpha2; give files"
                + " with -f\n");
  }

  @Test
  void anObjectThatIsTooLargeIsLeftOut() throws IOException {
    String large =
        STORED_CLAIM
            .replace("\"name\": \"x\"", "\"name\": \"large\"")
            .replace("\"b\"", "\"" + "b".repeat(5 << 20) + "\"");
    lists.put(CLASSES, list(STORED_CLASS));
    lists.put(CLAIMS, list(large, STORED_CLAIM));

    assertThat(migrate("--strict")).isEqualTo(1);

    assertThat(err.toString()).startsWith("not read ResourceClaim team-a/large: it is too large\n");
    assertThat(written("team-a/resourceclaim.x.yaml")).isEqualTo(MIGRATED_CLAIM);
    assertThat(directory.resolve("new/team-a/resourceclaim.large.yaml")).doesNotExist();
  }

  @Test
  void aNameIsNoPath() throws IOException {
    lists.put(CLASSES, list(STORED_CLASS));
    lists.put(
        CLAIMS,
        list(
            STORED_CLAIM.replace("\"x\"", "\"../../../x\"").replace("team-a", ".."),
            STORED_CLAIM.replace("\"x\"", "\"" + "x".repeat(253) + "\"")));

    assertThat(migrate()).isZero();

    try (Stream<Path> all = Files.walk(directory)) {
      assertThat(all.filter(Files::isRegularFile))
          .extracting(file -> directory.relativize(file).toString())
          .containsExactlyInAnyOrder(
              "config",
              "new/_cluster/resourceclass.c.yaml",
              "new/_/resourceclaim.__.._.._x.yaml",
              "new/team-a/resourceclaim.%s-1329e1bd.yaml".formatted("x".repeat(191)));
    }
  }

  @Test
  void filesAndTheClusterExcludeEachOther() {
    assertThat(migrate("-f", "x.yaml")).isEqualTo(2);

    assertThat(err).hasToString("give either -f or --from-cluster\n");
  }
}
