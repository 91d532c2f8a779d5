package io.gpudra.scenarios.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gpudra.scenarios.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A shell in the root of the repository, whose kubectl has the plugin and knows the cluster.
 *
 * @param home of its user
 */
record Terminal(Path home) {
  /** The plugin works where no kubectl is installed, too. */
  private static final String KUBECTL =
      """
      #!/bin/sh
      [ "$1" = gpudra ] && shift && exec controller/target/kubectl-gpudra "$@"
      PATH=${PATH#*:} exec kubectl "$@"
      """;

  /** The answer to a command. */
  record Answer(int code, String out, String err) {}

  static Terminal of(Path home, LocalCluster cluster) throws IOException {
    Path kubectl = Files.writeString(home.resolve("kubectl"), KUBECTL);
    if (!kubectl.toFile().setExecutable(true)) {
      throw new IOException(kubectl + " cannot be made executable");
    }
    Files.createDirectory(home.resolve(".kube"));
    Files.copy(cluster.kubeconfig(), home.resolve(".kube/config"));
    return new Terminal(home);
  }

  boolean hasKubectl() throws IOException, InterruptedException {
    return run("kubectl version --client").code() == 0;
  }

  Answer run(String command) throws IOException, InterruptedException {
    Path errors = home.resolve("errors");
    ProcessBuilder shell =
        new ProcessBuilder("bash", "-euc", command)
            .directory(Pages.ROOT.toFile())
            .redirectError(errors.toFile());
    adapt(shell.environment());
    Process process = shell.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Answer(process.waitFor(), out, Files.readString(errors));
  }

  private void adapt(Map<String, String> environment) {
    environment.merge("PATH", home.toString(), (path, ours) -> ours + ":" + path);
    environment.put("HOME", home.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("KUBECONFIG", home.resolve(".kube/config").toString());
    environment.put("XDG_CACHE_HOME", "/dev/null");
    environment.keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
  }
}
