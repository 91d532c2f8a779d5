package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Pods, as far as scheduling and claims go. */
final class PodRules implements Rules {
  private static final String FROZEN =
      "pod updates may not change fields other than"
          + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
          + "`spec.tolerations` (only additions to existing"
          + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was"
          + " previously negative)";

  @Override
  public void prepareCreate(ObjectNode pod) {
    pod.putObject("status").put("phase", "Pending").put("qosClass", "BestEffort");
    prepareUpdate(pod, pod);
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    ObjectNode spec = next.withObjectProperty("spec");
    byDefault(spec, "restartPolicy", "Always");
    byDefault(spec, "dnsPolicy", "ClusterFirst");
    byDefault(spec, "schedulerName", "default-scheduler");
    if (!spec.has("terminationGracePeriodSeconds")) {
      spec.put("terminationGracePeriodSeconds", 30);
    }
  }

  private static void byDefault(ObjectNode spec, String field, String value) {
    if (text(spec, field).isEmpty()) {
      spec.put(field, value);
    }
  }

  @Override
  public List<Problem> problems(Write write) {
    if (write.status()) {
      return statuses(write.next());
    }
    if (write.old().isEmpty()) {
      return spec(write.next());
    }
    return frozen(write.next()).equals(frozen(write.old().get()))
        ? List.of()
        : List.of(Problem.forbidden("spec", FROZEN));
  }

  private static ObjectNode frozen(ObjectNode pod) {
    ObjectNode spec = pod.withObjectProperty("spec").deepCopy();
    spec.remove(List.of("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"));
    for (JsonNode container : spec.path("containers")) {
      ((ObjectNode) container).remove("image");
    }
    return spec;
  }

  private static List<Problem> spec(ObjectNode pod) {
    List<Problem> problems = new ArrayList<>();
    JsonNode containers = at(pod, "spec.containers");
    if (containers.isEmpty()) {
      problems.add(Problem.required("spec.containers", ""));
    }
    Set<String> names = new HashSet<>();
    JsonNode claims = at(pod, "spec.resourceClaims");
    for (int i = 0; i < claims.size(); i++) {
      problems.addAll(claim("spec.resourceClaims[" + i + "]", claims.get(i), names));
    }
    for (int i = 0; i < containers.size(); i++) {
      String field = "spec.containers[" + i + "].resources.claims";
      JsonNode used = containers.get(i).path("resources").path("claims");
      for (int j = 0; j < used.size(); j++) {
        if (!names.contains(used.get(j).path("name").asText())) {
          String text = "Not found: " + used.get(j).path("name");
          problems.add(new Problem(field + "[" + j + "]", "FieldValueNotFound", text));
        }
      }
    }
    return problems;
  }

  private static List<Problem> claim(String field, JsonNode claim, Set<String> names) {
    List<Problem> problems = new ArrayList<>();
    if (text(claim, "name").isEmpty()) {
      problems.add(Problem.required(field + ".name", ""));
    } else if (!names.add(text(claim, "name"))) {
      problems.add(Problem.duplicate(field + ".name", claim.path("name")));
    }
    JsonNode source = claim.path("source");
    if (text(source, "resourceClaimName").isEmpty()
        == text(source, "resourceClaimTemplateName").isEmpty()) {
      problems.add(
          Problem.invalid(
              field + ".source",
              source.toString(),
              "must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    return problems;
  }

  private static List<Problem> statuses(ObjectNode pod) {
    Set<JsonNode> names = new HashSet<>();
    at(pod, "spec.resourceClaims").forEach(claim -> names.add(claim.path("name")));
    List<Problem> problems = new ArrayList<>();
    JsonNode statuses = at(pod, "status.resourceClaimStatuses");
    for (int i = 0; i < statuses.size(); i++) {
      if (!names.contains(statuses.get(i).path("name"))) {
        problems.add(
            Problem.invalid(
                "status.resourceClaimStatuses[" + i + "].name",
                statuses.get(i).path("name"),
                "must match the name of an entry in `spec.resourceClaims`"));
      }
    }
    return problems;
  }
}
