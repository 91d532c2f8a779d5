package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pods, as far as scheduling and claims go. */
final class PodRules implements Rules {
  private static final Map<String, JsonNode> DEFAULTS =
      Map.of(
          "restartPolicy", TextNode.valueOf("Always"),
          "dnsPolicy", TextNode.valueOf("ClusterFirst"),
          "schedulerName", TextNode.valueOf("default-scheduler"),
          "terminationGracePeriodSeconds", IntNode.valueOf(30));
  private static final String FROZEN =
      "pod updates may not change fields other than"
          + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
          + "`spec.tolerations` (only additions to existing"
          + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was"
          + " previously negative)";

  @Override
  public void prepareCreate(ObjectNode pod) {
    pod.set("status", Json.object("phase", "Pending", "qosClass", "BestEffort"));
    prepareUpdate(pod, pod);
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    ObjectNode spec = next.withObjectProperty("spec");
    DEFAULTS.forEach(spec::putIfAbsent);
  }

  @Override
  public void check(Write write, Problems problems) {
    ObjectNode pod = write.next();
    if (write.status()) {
      checkStatuses(pod, problems);
    } else if (write.old().isEmpty()) {
      checkSpec(pod, problems);
    } else if (!frozen(pod).equals(frozen(write.old().get()))) {
      problems.forbidden("spec", FROZEN);
    }
  }

  private static ObjectNode frozen(ObjectNode pod) {
    ObjectNode spec = pod.withObjectProperty("spec").deepCopy();
    spec.remove(List.of("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"));
    spec.path("containers").forEach(container -> ((ObjectNode) container).remove("image"));
    return spec;
  }

  private static void checkSpec(ObjectNode pod, Problems problems) {
    JsonNode containers = at(pod, "spec.containers");
    if (containers.isEmpty()) {
      problems.required("spec.containers", "");
    }
    Set<String> names = new HashSet<>();
    JsonNode claims = at(pod, "spec.resourceClaims");
    for (int i = 0; i < claims.size(); i++) {
      checkClaim("spec.resourceClaims[" + i + "]", claims.get(i), names, problems);
    }
    for (int i = 0; i < containers.size(); i++) {
      JsonNode used = at(containers.get(i), "resources.claims");
      for (int j = 0; j < used.size(); j++) {
        if (!names.contains(text(used.get(j), "name"))) {
          String field = "spec.containers[" + i + "].resources.claims[" + j + "]";
          String missing = "Not found: " + used.get(j).path("name");
          String known = ": must be one of the names in pod.spec.resourceClaims: ";
          problems.add(field, "FieldValueNotFound", missing + known + String.join(", ", names));
        }
      }
    }
  }

  private static void checkClaim(
      String field, JsonNode claim, Set<String> names, Problems problems) {
    problems.requiredFields(field, claim, "name");
    if (!names.add(text(claim, "name"))) {
      problems.duplicate(field + ".name", claim.path("name"));
    }
    JsonNode source = claim.path("source");
    if (text(source, "resourceClaimName").isEmpty()
        == text(source, "resourceClaimTemplateName").isEmpty()) {
      String rule =
          text(source, "resourceClaimName").isEmpty()
              ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
              : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      problems.invalid(field + ".source", source.toString(), rule);
    }
  }

  private static void checkStatuses(ObjectNode pod, Problems problems) {
    JsonNode claims = at(pod, "spec.resourceClaims");
    JsonNode statuses = at(pod, "status.resourceClaimStatuses");
    for (int i = 0; i < statuses.size(); i++) {
      if (Json.find(claims, "name", text(statuses.get(i), "name")).isMissingNode()) {
        String field = "status.resourceClaimStatuses[" + i + "].name";
        String rule = "must match the name of an entry in `spec.resourceClaims`";
        problems.invalid(field, statuses.get(i).path("name"), rule);
      }
    }
  }
}
