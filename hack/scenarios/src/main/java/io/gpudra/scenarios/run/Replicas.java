package io.gpudra.scenarios.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The pods of a Deployment, for clusters without a Deployment controller.
 *
 * @param workload the Deployment
 */
record Replicas(ObjectNode workload) {

  static boolean are(ObjectNode object) {
    return object.path("kind").asText().equals("Deployment");
  }

  String name() {
    return workload.at("/metadata/name").asText();
  }

  int number() {
    return workload.at("/spec/replicas").asInt(1);
  }

  ObjectNode pod(int index) {
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata");
    JsonNode template = workload.at("/spec/template");
    if (template.path("metadata") instanceof ObjectNode given) {
      metadata.setAll(given.deepCopy());
    }
    metadata.put("name", name() + "-" + index);
    JsonNode namespace = workload.at("/metadata/namespace");
    if (!namespace.isMissingNode()) {
      metadata.set("namespace", namespace);
    }
    pod.set("spec", template.path("spec").deepCopy());
    return pod;
  }
}
