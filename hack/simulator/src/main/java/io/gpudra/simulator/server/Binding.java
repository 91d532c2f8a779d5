package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import java.util.List;

/** The subresource {@code pods/binding}: gives a pod its node, once. */
record Binding(Writer writer, Kind pods) {
  // Without what holds for updates: a frozen spec, and the status kept.
  private static final Kind.Traits FREE = new Kind.Traits(true, false, false, false, false, true);

  void bind(Store.Key pod, String node) {
    writer.replace(
        new Target(pods.with(FREE, Rules.NONE), pod, false),
        old -> {
          String bound = text(old, "spec.nodeName");
          if (!bound.isEmpty()) {
            String why = "pod " + pod.name() + " is already assigned to node \"" + bound + "\"";
            throw Refusal.conflict(pods.resource(), "pods/binding", pod.name(), why);
          }
          if (!old.path("spec").path("schedulingGates").isEmpty()) {
            String why = "pod " + pod.name() + " has non-empty .spec.schedulingGates";
            throw Refusal.conflict(pods.resource(), "pods/binding", pod.name(), why);
          }
          old.withObjectProperty("spec").put("nodeName", node);
          ArrayNode conditions = old.withObjectProperty("status").withArrayProperty("conditions");
          ObjectNode scheduled = Json.object("type", "PodScheduled", "status", "True");
          scheduled.put("lastTransitionTime", writer.identity().now());
          Json.replace(conditions, "type", scheduled);
          return old;
        },
        WriteOptions.PLAIN,
        List.of());
  }
}
