package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** ResourceClaimTemplates: immutable, with metadata that may only carry labels and annotations. */
final class ClaimTemplateRules implements Rules {
  private static final Set<String> ALLOWED =
      ImmutableSet.of("labels", "annotations", "creationTimestamp");

  @Override
  public void prepareCreate(ObjectNode template) {
    ResourceClaimRules.defaultMode(template.withObjectProperty("spec").withObjectProperty("spec"));
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    prepareCreate(next);
  }

  @Override
  public List<Problem> problems(Write write) {
    JsonNode spec = at(write.next(), "spec");
    if (write.old().isPresent()) {
      return spec.equals(at(write.old().get(), "spec"))
          ? List.of()
          : List.of(Problem.immutable("spec", spec));
    }
    List<Problem> problems = new ArrayList<>();
    spec.path("metadata")
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!ALLOWED.contains(name)) {
                problems.add(Problem.forbidden("spec.metadata." + name, "cannot be set"));
              }
            });
    problems.addAll(ResourceClaimRules.spec("spec.spec", spec.path("spec")));
    return problems;
  }
}
