package io.gpudra.scenarios.real;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * What {@code hack/e2e --upgrade} has built of a commit.
 *
 * @param directory with its manifests
 */
record Release(String commit, Path directory) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String OWN_API = "gpu.resource.example.com/";

  /** What is brought from one release to another at once. */
  enum Part {
    DEFINITIONS,
    CONTROLLER,
    PLUGINS
  }

  /**
   * The one that a property names.
   *
   * @param property set by {@code hack/e2e}
   */
  static Release of(String property) {
    String commit = System.getProperty(property, "");
    return new Release(commit, RealClusterUnderTest.ROOT.resolve("target/upgrade").resolve(commit));
  }

  /** Applies the part, and waits until it serves. */
  void install(Part part, RealClusterUnderTest cluster) throws Exception {
    switch (part) {
      case DEFINITIONS -> {
        apply("definitions", Release::isDefinition, cluster);
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
        apply("classes", Release::isClass, cluster);
      }
      case CONTROLLER -> {
        apply("controller", Release::isOfController, cluster);
        awaitRollout("deployment/gpudra-controller", cluster);
      }
      case PLUGINS -> {
        apply("plugins", Release::isOfPlugins, cluster);
        awaitRollout("daemonset/gpudra-kubeletplugin", cluster);
      }
    }
  }

  private static boolean isDefinition(ObjectNode object) {
    return object.path("kind").asText().equals("CustomResourceDefinition");
  }

  private static boolean isClass(ObjectNode object) {
    return object.path("apiVersion").asText().startsWith(OWN_API)
        || object.path("kind").asText().equals("ResourceClass");
  }

  /** The map of configuration is that of the fake GPUs. */
  private static boolean isOfPlugins(ObjectNode object) {
    return object.at("/metadata/name").asText().contains("kubeletplugin")
        || object.path("kind").asText().equals("ConfigMap");
  }

  private static boolean isOfController(ObjectNode object) {
    return !isDefinition(object) && !isClass(object) && !isOfPlugins(object);
  }

  private void apply(String name, Predicate<ObjectNode> which, RealClusterUnderTest cluster)
      throws IOException, InterruptedException {
    ImmutableList<ObjectNode> objects =
        Manifests.read(directory.resolve("driver.yaml")).stream()
            .filter(which)
            .collect(toImmutableList());
    ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
    list.putArray("items").addAll(objects);
    Path file = Files.writeString(directory.resolve(name + ".json"), list.toString());
    cluster.kubectl("apply", "-f", file.toString());
  }

  private static void awaitRollout(String what, RealClusterUnderTest cluster)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "rollout", "status", what, "--timeout=180s");
  }
}
