package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.text;

import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.List;

/** Events live in the namespace of what they are about; those about cluster objects in default. */
final class EventRules implements Rules {

  @Override
  public List<Problem> problems(Write write) {
    String about = text(write.next(), "involvedObject.namespace");
    String home = text(write.next(), "metadata.namespace");
    boolean agree = about.isEmpty() ? home.equals("default") : about.equals(home);
    return agree
        ? List.of()
        : List.of(
            Problem.invalid("involvedObject.namespace", about, "does not match event.namespace"));
  }
}
