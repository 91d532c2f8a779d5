package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Leases: positive duration, times with exactly six decimals. */
final class LeaseRules implements Rules {
  private static final Pattern MICRO_TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}(Z|[+-]\\d\\d:\\d\\d)");

  @Override
  public List<Problem> problems(Write write) {
    List<Problem> problems = new ArrayList<>();
    positive(write.next(), "leaseDurationSeconds", problems);
    JsonNode transitions = at(write.next(), "spec.leaseTransitions");
    if (transitions.asInt() < 0) {
      problems.add(
          Problem.invalid(
              "spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return problems;
  }

  private static void positive(ObjectNode lease, String name, List<Problem> problems) {
    JsonNode value = at(lease, "spec." + name);
    if (!value.isMissingNode() && value.asInt() <= 0) {
      problems.add(Problem.invalid("spec." + name, value, "must be greater than 0"));
    }
  }

  @Override
  public Optional<String> undecodable(ObjectNode body) {
    for (String name : List.of("acquireTime", "renewTime")) {
      JsonNode time = at(body, "spec." + name);
      if (!time.isMissingNode() && !MICRO_TIME.matcher(time.asText()).matches()) {
        return Optional.of(
            "parsing time "
                + time
                + " as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse "
                + time
                + " as \".000000\"");
      }
    }
    return Optional.empty();
  }
}
