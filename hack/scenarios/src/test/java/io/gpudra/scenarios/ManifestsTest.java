package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Streams;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the base installs. */
class ManifestsTest {
  private static final Path BASE = Path.of("../../manifests/base");

  private final List<JsonNode> objects = new ArrayList<>();

  @BeforeEach
  void read() throws IOException {
    for (JsonNode resource :
        Manifests.read(BASE.resolve("kustomization.yaml")).get(0).path("resources")) {
      Path path = BASE.resolve(resource.asText());
      if (Files.isRegularFile(path)) {
        objects.addAll(Manifests.read(path));
      }
    }
  }

  private Stream<JsonNode> of(String... kinds) {
    return objects.stream().filter(object -> List.of(kinds).contains(object.path("kind").asText()));
  }

  private Stream<JsonNode> podTemplates() {
    return of("Deployment", "DaemonSet").map(object -> object.at("/spec/template"));
  }

  private static Stream<JsonNode> each(JsonNode list) {
    return Streams.stream(list);
  }

  private static List<String> texts(JsonNode list) {
    return each(list).map(JsonNode::asText).toList();
  }

  @Test
  void noRoleHasAWildcardOrSeesSecrets() {
    assertThat(of("Role", "ClusterRole").flatMap(role -> each(role.path("rules"))))
        .isNotEmpty()
        .allSatisfy(
            rule -> {
              assertThat(texts(rule.path("verbs"))).isNotEmpty().doesNotContain("*");
              assertThat(texts(rule.path("apiGroups"))).doesNotContain("*");
              assertThat(texts(rule.path("resources"))).doesNotContain("*", "secrets");
            });
  }

  @Test
  void controllerAndPluginActAsDifferentAccounts() {
    assertThat(podTemplates().map(pod -> pod.at("/spec/serviceAccountName").asText()))
        .containsExactlyInAnyOrder("gpudra-controller", "gpudra-kubeletplugin");
  }

  @Test
  void noSelectorMatchesThePodsOfAnother() {
    assertThat(of("Deployment", "DaemonSet").map(object -> object.at("/spec/selector/matchLabels")))
        .doesNotHaveDuplicates()
        .allSatisfy(
            selector ->
                assertThat(podTemplates().filter(pod -> matches(selector, pod))).hasSize(1));
  }

  private static boolean matches(JsonNode selector, JsonNode pod) {
    return selector.properties().stream()
        .allMatch(
            label -> label.getValue().equals(pod.at("/metadata/labels").path(label.getKey())));
  }

  @Test
  void everyContainerIsProbed() {
    assertThat(podTemplates().flatMap(pod -> each(pod.at("/spec/containers"))))
        .hasSize(2)
        .allSatisfy(
            container ->
                assertThat(container.fieldNames())
                    .toIterable()
                    .contains("startupProbe", "livenessProbe", "readinessProbe"));
  }

  @Test
  void whatWritesIntoTheKubeletsDirectoriesIsNotConfinedBySELinux() {
    assertThat(
            podTemplates()
                .filter(ManifestsTest::mountsTheKubelets)
                .flatMap(pod -> each(pod.at("/spec/containers")))
                .map(container -> container.at("/securityContext/seLinuxOptions/type").asText()))
        .containsExactly("spc_t");
  }

  private static boolean mountsTheKubelets(JsonNode pod) {
    return pod.at("/spec/volumes").findValuesAsText("path").stream()
        .anyMatch(path -> path.startsWith("/var/lib/kubelet"));
  }

  @Test
  void aQuotaCoversThePriorityClassesOfThePodsAsGkeDemands() {
    assertThat(
            of("ResourceQuota")
                .flatMap(quota -> each(quota.at("/spec/scopeSelector/matchExpressions")))
                .filter(scope -> scope.path("scopeName").asText().equals("PriorityClass"))
                .flatMap(scope -> texts(scope.path("values")).stream()))
        .containsAll(
            podTemplates().map(pod -> pod.at("/spec/priorityClassName").asText()).toList());
  }

  @Test
  void withoutPrivilegesThePluginIsGivenNothingOfTheNodeButTheDriver() throws IOException {
    JsonNode pod =
        Manifests.read(BASE.resolve("../components/nvidia-unprivileged/kubeletplugin.yaml"))
            .get(0)
            .at("/spec/template/spec");

    assertThat(pod.path("hostPID").isMissingNode()).isTrue();
    assertThat(pod.findValues("privileged")).isEmpty();
    assertThat(pod.path("volumes").findValuesAsText("path")).containsExactly("/run/nvidia/driver");
    assertThat(each(pod.at("/containers/0/volumeMounts")))
        .filteredOn(mount -> !mount.path("$patch").asText().equals("delete"))
        .isNotEmpty()
        .allSatisfy(mount -> assertThat(mount.path("readOnly").asBoolean()).isTrue());
    assertThat(pod.path("runtimeClassName").asText()).isEqualTo("nvidia");
  }

  @Test
  void theResourceDefinitionsAreInstalledAndUpgradedWithTheRest() throws IOException {
    assertThat(texts(Manifests.read(BASE.resolve("kustomization.yaml")).get(0).path("resources")))
        .contains("../../crds");
  }
}
