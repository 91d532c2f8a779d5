package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the parts are in a built repository. */
public record Installation(Path root) {

  /** The examples, and what others have written for drivers like this one. */
  public ImmutableList<Path> examples() {
    return ImmutableList.of(
        root.resolve("manifests/examples"), root.resolve("hack/scenarios/documents"));
  }

  /** The nodes that the examples are written for, as hack/cluster has them, with their GPUs. */
  public ImmutableMap<String, String> exampleNodes() {
    return ImmutableMap.of(
        "worker-0",
        "latest",
        "worker-1",
        "mixed",
        "worker-2",
        "@" + root.resolve("manifests/components/hack-cluster/gpus.yaml"));
  }

  /** A place for what a run leaves behind: logs and the kubeconfig. */
  public Workplace workplace(String name) {
    return new Workplace(this, root.resolve("hack/scenarios/target").resolve(name));
  }

  Path controller() throws IOException {
    return jar("controller", "gpudra-controller");
  }

  Path plugin() throws IOException {
    return jar("kubeletplugin", "gpudra-kubeletplugin");
  }

  /** The files of CRDs and of everything else that must be there before claims are made. */
  ImmutableList<Path> manifests() throws IOException {
    return ImmutableList.<Path>builder()
        .addAll(files(root.resolve("crds"), "*.yaml"))
        .addAll(files(root.resolve("manifests/base"), "*.yaml"))
        .build();
  }

  /** As a former controller left it, so that the first one need not wait for a living leader. */
  Path releasedLease() {
    return root.resolve("hack/scenarios/released-lease.yaml");
  }

  private Path jar(String module, String name) throws IOException {
    ImmutableList<Path> jars = files(root.resolve(module).resolve("target"), name + "-*.jar");
    return jars.stream()
        .filter(jar -> !jar.toString().endsWith("-sources.jar"))
        .findFirst()
        .orElseThrow(() -> new IOException("%s is not built: no jar %s".formatted(module, name)));
  }

  private static ImmutableList<Path> files(Path directory, String pattern) throws IOException {
    if (!Files.isDirectory(directory)) {
      return ImmutableList.of();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
      return ImmutableList.sortedCopyOf(files);
    }
  }

  /**
   * A directory under {@code target} for one run.
   *
   * @param installation what is run
   */
  public record Workplace(Installation installation, Path directory) {

    Path kubeconfig() {
      return directory.resolve("kubeconfig");
    }
  }
}
