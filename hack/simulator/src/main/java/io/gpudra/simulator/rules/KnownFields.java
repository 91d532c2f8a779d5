package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import io.gpudra.simulator.schema.Pruning;
import java.util.List;
import java.util.Optional;

/** Another kind's rules, with fields dropped that the kind does not have. */
record KnownFields(Rules rules, ObjectNode schema) implements Rules {

  @Override
  public void prepareCreate(ObjectNode object) {
    rules.prepareCreate(object);
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    rules.prepareUpdate(next, old);
  }

  @Override
  public List<Problem> problems(Write write) {
    return rules.problems(write);
  }

  @Override
  public Optional<String> undecodable(ObjectNode body) {
    return rules.undecodable(body);
  }

  @Override
  public List<String> prune(ObjectNode object) {
    return Pruning.prune(object, schema);
  }
}
