package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.stream.IntStream;

/** The nodes and pods of scheduler_perf, as JSON in the making. */
final class Objects {

  /** The ResourceClaimTemplate of each namespace. */
  private static final String TEMPLATE = "measured";

  private Objects() {}

  /** Ready and big enough for every pod: only claims limit what fits. */
  static ImmutableMap<String, Object> node(String name) {
    return ImmutableMap.of(
        "apiVersion",
        "v1",
        "kind",
        "Node",
        "metadata",
        ImmutableMap.of("name", name, "labels", ImmutableMap.of("kubernetes.io/hostname", name)),
        "status",
        ImmutableMap.of(
            "capacity", ImmutableMap.of("pods", "110", "cpu", "4", "memory", "32Gi"),
            "conditions", List.of(ImmutableMap.of("type", "Ready", "status", "True"))));
  }

  /** Admission taints every new node until a controller has seen that it is ready. */
  static ImmutableMap<String, Object> untainted() {
    return ImmutableMap.of("spec", ImmutableMap.of("taints", List.of()));
  }

  /** What structured parameters know of a node's GPUs. */
  static ImmutableMap<String, Object> slice(String node, String driver, int gpus) {
    List<ImmutableMap<String, String>> instances =
        IntStream.range(0, gpus).mapToObj(i -> ImmutableMap.of("name", "gpu-" + i)).toList();
    return ImmutableMap.of(
        "apiVersion",
        "resource.k8s.io/v1alpha2",
        "kind",
        "ResourceSlice",
        "metadata",
        ImmutableMap.of("name", node),
        "nodeName",
        node,
        "driverName",
        driver,
        "namedResources",
        ImmutableMap.of("instances", instances));
  }

  /** One container that uses all claims. */
  static ImmutableMap<String, Object> pod(
      String name, ImmutableMap<String, String> labels, int claims, ImmutableList<String> gates) {
    ImmutableList<String> entries =
        IntStream.range(0, claims)
            .mapToObj(i -> "resource-" + i)
            .collect(ImmutableList.toImmutableList());
    ImmutableMap<String, Object> container =
        ImmutableMap.of(
            "name", "pause",
            "image", "pause",
            "resources",
                ImmutableMap.of(
                    "claims",
                    entries.stream().map(entry -> ImmutableMap.of("name", entry)).toList()));
    return ImmutableMap.of(
        "apiVersion",
        "v1",
        "kind",
        "Pod",
        "metadata",
        ImmutableMap.of("name", name, "labels", labels),
        "spec",
        ImmutableMap.of(
            "containers", List.of(container),
            "resourceClaims", entries.stream().map(Objects::fromTemplate).toList(),
            "schedulingGates", gates.stream().map(gate -> ImmutableMap.of("name", gate)).toList()));
  }

  private static ImmutableMap<String, Object> fromTemplate(String entry) {
    return ImmutableMap.of(
        "name", entry, "source", ImmutableMap.of("resourceClaimTemplateName", TEMPLATE));
  }
}
