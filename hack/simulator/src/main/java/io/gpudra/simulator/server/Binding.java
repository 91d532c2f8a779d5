package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Traits;
import io.gpudra.simulator.store.Key;
import java.util.List;

/** The subresource {@code pods/binding}: gives a pod its node, once. */
record Binding(Writer writer, Kind pods) {

  void bind(Key pod, String node) {
    writer.replace(
        new Target(free(), pod, false),
        old -> {
          String bound = text(old, "spec.nodeName");
          if (!bound.isEmpty()) {
            throw Refusal.conflict(
                pods.resource(),
                "pods/binding",
                pod.name(),
                "pod " + pod.name() + " is already assigned to node \"" + bound + "\"");
          }
          old.withObjectProperty("spec").put("nodeName", node);
          ArrayNode conditions = old.withObjectProperty("status").withArrayProperty("conditions");
          conditions.addObject().put("type", "PodScheduled").put("status", "True");
          return old;
        },
        WriteOptions.PLAIN,
        List.of());
  }

  /** Pods without what holds for updates: a frozen spec, and the status kept. */
  private Kind free() {
    Traits traits = new Traits(true, false, false, false, false, true);
    return new Kind(
        pods.resource(), pods.names(), traits, Rules.NONE, pods.schema(), pods.columns());
  }
}
