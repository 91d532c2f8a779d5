package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** The Node object that a kubelet makes and keeps ready. */
record NodeObject(Api api, InstantSource clock, String name) {

  /** An existing node keeps its labels and taints. */
  void ensure(Map<String, String> labels, Profile profile) {
    if (api.get(Resource.NODES, "", name).isEmpty()) {
      ObjectNode all = Json.object("kubernetes.io/hostname", name, "kubernetes.io/os", "linux");
      labels.forEach(all::put);
      api.create(Resource.NODES, Json.object("metadata", Json.object("name", name, "labels", all)));
    }
    String version = profile == Profile.V1_27 ? "v1.27.16" : "v1.30.14";
    ObjectNode size = Json.object("pods", "110", "cpu", "64", "memory", "256Gi");
    change(
        Json.object(
            "nodeInfo", Json.object("kubeletVersion", version),
            "capacity", size,
            "allocatable", size));
    ready(true);
  }

  void ready(boolean ready) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    ObjectNode condition = Json.object("type", "Ready", "status", ready ? "True" : "Unknown");
    condition.put("reason", ready ? "KubeletReady" : "NodeStatusUnknown");
    condition.put(
        "message",
        ready ? "kubelet is posting ready status" : "Kubelet stopped posting node status.");
    condition.put("lastHeartbeatTime", now).put("lastTransitionTime", now);
    change(Json.object("conditions", new ObjectNode[] {condition}));
  }

  private void change(ObjectNode fields) {
    ObjectNode target = api.get(Resource.NODES, "", name).orElseThrow();
    new Edits(api, Resource.NODES)
        .status(
            target,
            live -> {
              live.withObjectProperty("status").setAll(fields);
              return true;
            });
  }
}
