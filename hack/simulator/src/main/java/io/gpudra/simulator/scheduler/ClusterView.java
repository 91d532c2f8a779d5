package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.Profile;
import java.util.Collection;
import java.util.Optional;

/** What the scheduler knows besides pods. */
record ClusterView(Profile profile, Mirror nodes, Mirror claims, Mirror contexts, Mirror classes) {
  Collection<ObjectNode> allNodes() {
    return nodes.all();
  }

  Optional<ObjectNode> resourceClass(String name) {
    return classes.get("", name);
  }
}
