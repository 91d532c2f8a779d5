package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.List;

/** ResourceClasses: every field may change at any time. */
final class ResourceClassRules implements Rules {

  @Override
  public List<Problem> problems(Write write) {
    ObjectNode next = write.next();
    List<Problem> problems = new ArrayList<>(Naming.driver("driverName", text(next, "driverName")));
    if (next.has("parametersRef")) {
      problems.addAll(ResourceClaimRules.reference("parametersRef", next.path("parametersRef")));
    }
    if (next.has("suitableNodes")) {
      problems.addAll(NodeSelectorRules.problems("suitableNodes", next.path("suitableNodes")));
    }
    return problems;
  }
}
