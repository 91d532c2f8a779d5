package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Rules;

/** Namespaces: the finalizer in their spec is what the namespace lifecycle removes at the end. */
final class NamespaceRules implements Rules {

  @Override
  public void prepareCreate(ObjectNode namespace) {
    namespace.withObjectProperty("spec").putArray("finalizers").add("kubernetes");
    namespace.putObject("status").put("phase", "Active");
    prepareUpdate(namespace, namespace);
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    Json.put(next, "spec", old.path("spec"));
    Json.meta(next)
        .withObjectProperty("labels")
        .put("kubernetes.io/metadata.name", Json.text(next, "metadata.name"));
  }
}
