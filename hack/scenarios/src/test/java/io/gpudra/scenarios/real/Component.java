package io.gpudra.scenarios.real;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Some of {@code manifests/components} that are added to the driver where it is installed, and
 * taken away again.
 *
 * @param files of objects of their own by component, without their ending
 */
record Component(RealClusterUnderTest cluster, ImmutableListMultimap<String, String> files) {
  static final String CONTROLLER = "deployment/gpudra-controller";

  private static final String MANIFESTS = "../../manifests/";

  /** Where they are with the overlay that is installed. */
  Path directory() {
    return Path.of("target/with-" + String.join("-", names()));
  }

  private ImmutableSet<String> names() {
    return files.keySet();
  }

  void add() throws Exception {
    Files.createDirectories(directory());
    Files.writeString(
        directory().resolve("kustomization.yaml"),
        """
        resources: [../../%1$soverlays/%2$s]
        components: [%3$s]
        """
            .formatted(
                MANIFESTS,
                cluster.overlay(),
                names().stream()
                    .map(name -> "../../%scomponents/%s".formatted(MANIFESTS, name))
                    .collect(Collectors.joining(", "))));
    cluster.kubectl("apply", "-k", directory().toString());
    rolledOut();
  }

  void remove() throws Exception {
    cluster.kubectl("apply", "-k", MANIFESTS + "overlays/" + cluster.overlay());
    for (Map.Entry<String, String> file : files.entries()) {
      cluster.kubectl(
          "delete",
          "-f",
          "%scomponents/%s/%s.yaml".formatted(MANIFESTS, file.getKey(), file.getValue()));
    }
    rolledOut();
  }

  private void rolledOut() throws Exception {
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "rollout", "status", CONTROLLER, "--timeout=120s");
  }
}
