package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.node.DevicePluginResource;
import io.gpudra.kubeletplugin.kube.KubeReply.Kind;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads this node's object. */
public final class NodeReader {

  private static final Pattern VERSION = Pattern.compile("v1\\.(\\d{1,4})\\..*");

  /** The first release whose kubelet calls again for claims that it knows from its checkpoint. */
  private static final int ASKS_AGAIN = 28;

  private static final MemberFilter NODE_INFO =
      MemberFilter.of()
          .and(
              "status",
              MemberFilter.of()
                  .and("nodeInfo", MemberFilter.of("kubeletVersion", "containerRuntimeVersion")));

  private static final MemberFilter ALLOCATABLE =
      MemberFilter.of().and("status", MemberFilter.of("allocatable"));

  private final KubeApi api;
  private final String path;

  /** The node is not read yet. */
  public NodeReader(KubeApi api, String node) {
    this.api = api;
    this.path = "/api/v1/nodes/" + node;
  }

  /**
   * Whether the kubelet, after a boot, calls for a claim that it knows from before; empty when the
   * API server gives no answer.
   */
  public Optional<Boolean> kubeletAsksAgain() {
    return nodeInfo("kubeletVersion").map(NodeReader::asksAgain);
  }

  /**
   * The container runtime, such as {@code containerd://1.7.22}; empty when the API server gives no
   * answer.
   */
  public Optional<String> containerRuntime() {
    return nodeInfo("containerRuntimeVersion");
  }

  private Optional<String> nodeInfo(String field) {
    KubeReply reply = api.get(path, NODE_INFO);
    return reply.is(Kind.OK)
        ? Optional.of(reply.body().path("status").path("nodeInfo").path(field).asText())
        : Optional.empty();
  }

  /**
   * The number of GPUs and parts of them that a device plugin hands out on this node; empty when
   * the API server gives no answer.
   *
   * @param resources names of its resources beside the known ones
   */
  public Optional<Integer> ofDevicePlugin(Set<String> resources) {
    KubeReply reply = api.get(path, ALLOCATABLE);
    return reply.is(Kind.OK)
        ? Optional.of(handedOut(reply.body().path("status").path("allocatable"), resources))
        : Optional.empty();
  }

  private static int handedOut(JsonNode allocatable, Set<String> resources) {
    return allocatable.properties().stream()
        .filter(
            resource ->
                resources.contains(resource.getKey()) || DevicePluginResource.is(resource.getKey()))
        .mapToInt(resource -> resource.getValue().asInt())
        .sum();
  }

  static boolean asksAgain(String kubeletVersion) {
    Matcher version = VERSION.matcher(kubeletVersion);
    return !version.matches()
        || Optional.ofNullable(Ints.tryParse(version.group(1))).orElse(ASKS_AGAIN) >= ASKS_AGAIN;
  }
}
