package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** Writes what a kubelet says about a pod. */
final class PodStatus {
  private final Edits edits;
  private final InstantSource clock;

  PodStatus(Api api, InstantSource clock) {
    this.edits = new Edits(api, Resource.PODS);
    this.clock = clock;
  }

  void running(Pod pod) {
    ObjectNode state = pod.json().objectNode();
    state.putObject("running").put("startedAt", now());
    write(pod, "Running", state, true);
  }

  /** The containers cannot be created yet. */
  void waiting(Pod pod, String message) {
    ObjectNode state = pod.json().objectNode();
    state.putObject("waiting").put("reason", "CreateContainerError").put("message", message);
    write(pod, "Pending", state, false);
  }

  /** The containers have ended; the phase follows once the claims are unprepared. */
  void stopped(Pod pod, int exitCode) {
    write(pod, "Running", terminated(pod, exitCode), false);
  }

  void ended(Pod pod, int exitCode) {
    write(pod, exitCode == 0 ? "Succeeded" : "Failed", terminated(pod, exitCode), false);
  }

  private ObjectNode terminated(Pod pod, int exitCode) {
    ObjectNode state = pod.json().objectNode();
    state
        .putObject("terminated")
        .put("exitCode", exitCode)
        .put("reason", exitCode == 0 ? "Completed" : "Error")
        .put("finishedAt", now());
    return state;
  }

  private void write(Pod pod, String phase, ObjectNode state, boolean ready) {
    edits.status(
        pod.json(),
        live -> {
          ObjectNode status = live.withObject("/status");
          status.put("phase", phase);
          if (!status.has("startTime")) {
            status.put("startTime", now());
          }
          status.set("containerStatuses", containers(live.path("spec"), state, ready));
          condition(status, "Initialized", true);
          condition(status, "Ready", ready);
          condition(status, "ContainersReady", ready);
          return true;
        });
  }

  private static ArrayNode containers(JsonNode spec, ObjectNode state, boolean ready) {
    ArrayNode statuses = state.arrayNode();
    for (JsonNode container : spec.path("containers")) {
      statuses
          .addObject()
          .put("name", container.path("name").asText())
          .put("image", container.path("image").asText())
          .put("imageID", "")
          .put("ready", ready)
          .put("started", ready)
          .put("restartCount", 0)
          .set("state", state.deepCopy());
    }
    return statuses;
  }

  private void condition(ObjectNode status, String type, boolean holds) {
    ArrayNode conditions = status.withArrayProperty("conditions");
    for (int i = conditions.size() - 1; i >= 0; i--) {
      if (conditions.get(i).path("type").asText().equals(type)) {
        conditions.remove(i);
      }
    }
    conditions
        .addObject()
        .put("type", type)
        .put("status", holds ? "True" : "False")
        .put("lastTransitionTime", now());
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
