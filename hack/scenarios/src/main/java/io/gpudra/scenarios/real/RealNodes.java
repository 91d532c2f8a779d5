package io.gpudra.scenarios.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.NodeView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What containers printed and what lies on the nodes' disks.
 *
 * @param node {@code hack/cluster/node}
 */
public record RealNodes(ClusterClient cluster, Commands node) implements NodeView {
  private static final int NOT_STARTED = 400;

  /** Sorted after everything the driver sets: a log that has it is complete. */
  private static final String LAST = "PATH";

  /** The examples' containers print their environment, sorted, as the first thing they do. */
  @Override
  public Optional<Map<String, String>> environment(String namespace, String pod, String container)
      throws IOException, InterruptedException {
    try {
      String log =
          cluster.text(
              "/api/v1/namespaces/%s/pods/%s/log?container=%s"
                  .formatted(namespace, pod, container));
      return Optional.of(variables(log)).filter(printed -> printed.containsKey(LAST));
    } catch (ClusterClient.Refused e) {
      if (e.code() == NOT_STARTED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static Map<String, String> variables(String log) {
    ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
    log.lines()
        .filter(line -> line.contains("="))
        .forEach(
            line ->
                variables.put(
                    line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
    return variables.buildKeepingLast();
  }

  @Override
  public List<String> cdiFiles() throws IOException, InterruptedException {
    List<String> files = new ArrayList<>();
    for (var object : cluster.get("/api/v1/nodes").path("items")) {
      files.addAll(cdiFiles(object.at("/metadata/name").asText()));
    }
    return files;
  }

  /** Those of one node, as {@code node:file}. */
  List<String> cdiFiles(String name) throws IOException, InterruptedException {
    return node.output(ImmutableList.of("exec", name, "ls", "/var/run/cdi"))
        .lines()
        .filter(file -> file.endsWith(".json"))
        .map(file -> name + ":" + file)
        .toList();
  }
}
