package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** The Node object that a kubelet makes and keeps ready. */
final class NodeObject {
  private final Api api;
  private final InstantSource clock;
  private final String name;

  NodeObject(Api api, InstantSource clock, String name) {
    this.api = api;
    this.clock = clock;
    this.name = name;
  }

  /** An existing node keeps its labels and taints. */
  void ensure(Map<String, String> labels, Profile profile) {
    if (api.get(Resource.NODES, "", name).isEmpty()) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("apiVersion", "v1").put("kind", "Node");
      ObjectNode all = node.putObject("metadata").put("name", name).putObject("labels");
      all.put("kubernetes.io/hostname", name).put("kubernetes.io/os", "linux");
      labels.forEach(all::put);
      api.create(Resource.NODES, node);
    }
    String version = profile == Profile.V1_27 ? "v1.27.16" : "v1.30.14";
    ready(true, version);
  }

  void ready(boolean ready) {
    ready(ready, "");
  }

  private void ready(boolean ready, String version) {
    ObjectNode target = api.get(Resource.NODES, "", name).orElseThrow();
    new Edits(api, Resource.NODES)
        .status(
            target,
            live -> {
              ObjectNode status = live.withObject("/status");
              if (!version.isEmpty()) {
                status.withObjectProperty("nodeInfo").put("kubeletVersion", version);
                status.withObjectProperty("capacity").put("pods", "110");
                status.withObjectProperty("allocatable").put("pods", "110");
              }
              condition(status, ready);
              return true;
            });
  }

  private void condition(ObjectNode status, boolean ready) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    status
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", ready ? "True" : "Unknown")
        .put("reason", ready ? "KubeletReady" : "NodeStatusUnknown")
        .put(
            "message",
            ready ? "kubelet is posting ready status" : "Kubelet stopped posting node status.")
        .put("lastHeartbeatTime", now)
        .put("lastTransitionTime", now);
  }
}
