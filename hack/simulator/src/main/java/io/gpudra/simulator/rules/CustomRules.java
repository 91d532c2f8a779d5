package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import io.gpudra.simulator.schema.CelRules;
import io.gpudra.simulator.schema.Pruning;
import io.gpudra.simulator.schema.Schema;
import java.util.List;

/** What a custom resource's structural schema demands; its CEL rules only run on what fits it. */
final class CustomRules implements Rules {
  private final ObjectNode schema;
  private final CelRules cel;

  CustomRules(ObjectNode schema) {
    this.schema = schema;
    this.cel = new CelRules(schema);
  }

  @Override
  public void prepareCreate(ObjectNode object) {
    Pruning.fillDefaults(object, schema);
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    Pruning.fillDefaults(next, schema);
  }

  @Override
  public List<Problem> problems(Write write) {
    List<Problem> problems = Schema.problems(write.next(), schema);
    return problems.isEmpty() ? cel.problems(write.next(), write.old()) : problems;
  }

  @Override
  public List<String> prune(ObjectNode object) {
    return Pruning.prune(object, schema);
  }
}
