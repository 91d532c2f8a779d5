package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** PodSchedulingContexts: limits, names and duplicates of node lists. */
final class SchedulingContextRules implements Rules {
  private static final int LIMIT = 128;

  @Override
  public void prepareCreate(ObjectNode context) {
    context.putObject("status");
    context.withObjectProperty("spec");
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    next.withObjectProperty("spec");
    ObjectNode status = next.withObjectProperty("status");
    for (JsonNode claim : status.path("resourceClaims")) {
      if (claim instanceof ObjectNode entry && entry.path("unsuitableNodes").isEmpty()) {
        entry.remove("unsuitableNodes");
      }
    }
  }

  @Override
  public List<Problem> problems(Write write) {
    if (write.status()) {
      return claims(at(write.next(), "status.resourceClaims"));
    }
    List<Problem> once = nodes("spec.potentialNodes", at(write.next(), "spec.potentialNodes"));
    // The real server validates the main resource twice and reports both.
    List<Problem> twice = new ArrayList<>(once);
    twice.addAll(once);
    return twice;
  }

  private static List<Problem> claims(JsonNode claims) {
    List<Problem> problems = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < claims.size(); i++) {
      // The field is called resourceClaims, the real server's errors call it claims.
      String field = "status.claims[" + i + "]";
      problems.addAll(nodes(field + ".unsuitableNodes", claims.get(i).path("unsuitableNodes")));
      if (!names.add(claims.get(i).path("name").asText())) {
        problems.add(Problem.duplicate(field, claims.get(i).path("name")));
      }
    }
    return problems;
  }

  private static List<Problem> nodes(String field, JsonNode nodes) {
    List<Problem> problems = new ArrayList<>();
    if (nodes.size() > LIMIT) {
      problems.add(ResourceClaimRules.limit(field, LIMIT));
    }
    Set<JsonNode> seen = new HashSet<>();
    for (int i = 0; i < nodes.size(); i++) {
      String item = field + "[" + i + "]";
      problems.addAll(Naming.subdomain(item, nodes.get(i).asText()));
      if (!seen.add(nodes.get(i))) {
        problems.add(Problem.duplicate(item, nodes.get(i)));
      }
    }
    return problems;
  }
}
