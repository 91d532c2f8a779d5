package io.gpudra.controller.doctor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.doctor.RbacPermission.Right;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

class RbacPermissionTest {

  @ParameterizedTest
  @CsvSource({
    "CONTROLLER, base/controller-rbac.yaml",
    "GATES, components/gates-unguarded/rbac.yaml",
    "PLUGIN, base/kubeletplugin-rbac.yaml",
  })
  void whatIsAskedForIsWhatTheManifestsGrant(RbacPermission rbacPermission, String name)
      throws IOException {
    Path file = Path.of("../../manifests/" + name);
    Set<Right> granted =
        StreamSupport.stream(new Yaml().loadAll(Files.readString(file)).spliterator(), false)
            .map(document -> (Map<?, ?>) document)
            .filter(document -> "ClusterRole".equals(document.get("kind")))
            .flatMap(document -> list(document, "rules").stream())
            .flatMap(rule -> rights((Map<?, ?>) rule).stream())
            .collect(Collectors.toSet());
    assertThat(Set.copyOf(rbacPermission.all())).isEqualTo(granted);
  }

  private static Set<Right> rights(Map<?, ?> rule) {
    return texts(rule, "apiGroups").stream()
        .flatMap(
            group ->
                texts(rule, "resources").stream()
                    .flatMap(
                        resource ->
                            texts(rule, "verbs").stream()
                                .map(verb -> new Right(group, resource, verb))))
        .collect(Collectors.toSet());
  }

  private static List<String> texts(Map<?, ?> rule, String field) {
    return list(rule, field).stream().map(String::valueOf).toList();
  }

  private static List<?> list(Map<?, ?> map, String field) {
    return (List<?>) requireNonNull(map.get(field));
  }
}
