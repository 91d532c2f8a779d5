package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.view.explain.GroupWithNodes;

/** The group for which nodes are kept, as JSON. */
final class KeptNodesJson {
  private KeptNodesJson() {}

  static void put(ObjectNode json, GroupWithNodes group) {
    json.putObject("kept")
        .put("namespace", group.namespace())
        .put("group", group.group())
        .put("until", group.until().toString())
        .put("nodes", group.nodes());
  }
}
