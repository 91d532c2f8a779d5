package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** Writes what a kubelet says about a pod. */
record PodStatus(Api api, InstantSource clock) {

  void running(Pod pod) {
    write(pod, "Running", Json.object("running", Json.object("startedAt", now())), true);
  }

  /** The pod has come; nothing is done for it yet. */
  void accepted(Pod pod) {
    if (Json.at(pod.json(), "status.containerStatuses").isEmpty()) {
      ObjectNode state = Json.object("reason", "ContainerCreating");
      write(pod, "Pending", Json.object("waiting", state), false);
    }
  }

  /** The containers cannot be created yet. */
  void waiting(Pod pod, String message) {
    ObjectNode state = Json.object("reason", "CreateContainerError", "message", message);
    write(pod, "Pending", Json.object("waiting", state), false);
  }

  /** The containers have ended; the phase follows once the claims are unprepared. */
  void stopped(Pod pod, int exitCode) {
    if (!Json.at(pod.json(), "status.containerStatuses").path(0).path("state").has("terminated")) {
      write(pod, "Running", terminated(exitCode), false);
    }
  }

  void ended(Pod pod, int exitCode) {
    write(pod, exitCode == 0 ? "Succeeded" : "Failed", terminated(exitCode), false);
  }

  private ObjectNode terminated(int exitCode) {
    String reason = exitCode == 0 ? "Completed" : "Error";
    return Json.object(
        "terminated", Json.object("exitCode", exitCode, "reason", reason, "finishedAt", now()));
  }

  private void write(Pod pod, String phase, ObjectNode state, boolean ready) {
    new Edits(api, Resource.PODS)
        .status(
            pod.json(),
            live -> {
              ObjectNode status = live.withObjectProperty("status").put("phase", phase);
              if (!status.has("startTime")) {
                status.put("startTime", now());
              }
              ArrayNode containers = status.putArray("containerStatuses");
              for (JsonNode container : Json.at(live, "spec.containers")) {
                containers.add(container(container, state, ready));
              }
              condition(status, "Initialized", true);
              condition(status, "Ready", ready);
              condition(status, "ContainersReady", ready);
              return true;
            });
  }

  private static ObjectNode container(JsonNode spec, ObjectNode state, boolean ready) {
    ObjectNode status = Json.object("name", spec.path("name"), "image", Json.text(spec, "image"));
    status.put("imageID", "").put("ready", ready).put("started", ready).put("restartCount", 0);
    return status.set("state", state.deepCopy());
  }

  private void condition(ObjectNode status, String type, boolean holds) {
    ObjectNode condition = Json.object("type", type, "status", holds ? "True" : "False");
    condition.put("lastTransitionTime", now());
    Json.replace(status.withArrayProperty("conditions"), "type", condition);
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
