package io.gpudra.scenarios.real;

import com.google.common.collect.ImmutableList;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One of {@code manifests/components} that is added to the driver where it is installed, and taken
 * away again.
 *
 * @param files of objects of its own, without their ending
 */
record Component(RealClusterUnderTest cluster, String name, ImmutableList<String> files) {
  static final String CONTROLLER = "deployment/gpudra-controller";

  private static final String MANIFESTS = "../../manifests/";

  /** Where it is with the overlay that is installed. */
  Path directory() {
    return Path.of("target/with-" + name);
  }

  void add() throws Exception {
    Files.createDirectories(directory());
    Files.writeString(
        directory().resolve("kustomization.yaml"),
        """
        resources: [../../%1$soverlays/%2$s]
        components: [../../%1$scomponents/%3$s]
        """
            .formatted(MANIFESTS, cluster.overlay(), name));
    cluster.kubectl("apply", "-k", directory().toString());
    rolledOut();
  }

  void remove() throws Exception {
    cluster.kubectl("apply", "-k", MANIFESTS + "overlays/" + cluster.overlay());
    for (String file : files) {
      cluster.kubectl("delete", "-f", "%scomponents/%s/%s.yaml".formatted(MANIFESTS, name, file));
    }
    rolledOut();
  }

  private void rolledOut() throws Exception {
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "rollout", "status", CONTROLLER, "--timeout=120s");
  }
}
