package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.collect.Iterables;
import com.google.common.collect.Streams;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Pods, as far as scheduling and claims go. */
final class PodRules implements Rules {
  private static final Map<String, JsonNode> DEFAULTS =
      Map.of(
          "restartPolicy", TextNode.valueOf("Always"),
          "dnsPolicy", TextNode.valueOf("ClusterFirst"),
          "schedulerName", TextNode.valueOf("default-scheduler"),
          "terminationGracePeriodSeconds", IntNode.valueOf(30));
  private static final String GATES = "spec.schedulingGates";
  private static final String GATED = "Scheduling is blocked due to non-empty scheduling gates";
  private static final String REQUIRED =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
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
    if (isGated(pod)) {
      ObjectNode gated = Json.object("type", "PodScheduled", "status", "False");
      gated.put("reason", "SchedulingGated").put("message", GATED);
      pod.withObjectProperty("status").putArray("conditions").add(gated);
    }
  }

  private static boolean isGated(ObjectNode pod) {
    return !at(pod, GATES).isEmpty();
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    ObjectNode spec = next.withObjectProperty("spec");
    DEFAULTS.forEach(spec::putIfAbsent);
    if (!isGated(next)) {
      spec.remove("schedulingGates");
    }
  }

  @Override
  public void check(Write write, Problems problems) {
    ObjectNode pod = write.next();
    if (write.status()) {
      checkStatuses(pod, problems);
    } else if (write.old().isEmpty()) {
      checkSpec(pod, problems);
    } else {
      checkUpdate(pod, write.old().get(), problems);
    }
  }

  private static void checkUpdate(ObjectNode pod, ObjectNode old, Problems problems) {
    JsonNode gates = at(pod, GATES);
    for (int i = 0; i < gates.size(); i++) {
      String name = text(gates.path(i), "name");
      if (Json.find(at(old, GATES), "name", name).isMissingNode()) {
        String rule = "only deletion is allowed, but found new scheduling gate '%s'";
        problems.forbidden(GATES + "[" + i + "].name", rule.formatted(name));
      }
    }
    if (isGated(old)) {
      checkNarrowing(pod, old, problems);
    }
    if (!frozen(pod, isGated(old)).equals(frozen(old, isGated(old)))) {
      problems.forbidden("spec", FROZEN);
    }
  }

  /** While a pod is gated, it may select fewer nodes than before. */
  private static void checkNarrowing(ObjectNode pod, ObjectNode old, Problems problems) {
    JsonNode selector = at(pod, "spec.nodeSelector");
    if (!selector.properties().containsAll(at(old, "spec.nodeSelector").properties())) {
      String rule = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
      problems.invalid("spec.nodeSelector", selector, rule);
    }
    JsonNode terms = at(pod, REQUIRED);
    JsonNode before = at(old, REQUIRED);
    if (!before.isEmpty() && terms.size() != before.size()) {
      String rule = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
      problems.invalid(REQUIRED, terms, rule);
      return;
    }
    for (int i = 0; i < before.size(); i++) {
      if (!narrows(terms.path(i), before.path(i))) {
        String rule = "only additions are allowed (no mutations or deletions)";
        problems.invalid(REQUIRED + "[" + i + "]", terms.path(i), rule);
      }
    }
  }

  private static boolean narrows(JsonNode term, JsonNode before) {
    return Stream.of("matchExpressions", "matchFields")
        .allMatch(
            list ->
                Streams.stream(before.path(list))
                    .allMatch(one -> Iterables.contains(term.path(list), one)));
  }

  private static ObjectNode frozen(ObjectNode pod, boolean gated) {
    ObjectNode spec = pod.withObjectProperty("spec").deepCopy();
    spec.remove(List.of("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"));
    spec.remove("schedulingGates");
    if (gated) {
      spec.remove("nodeSelector");
      spec.withObjectProperty("affinity").remove("nodeAffinity");
    }
    spec.path("containers").forEach(container -> ((ObjectNode) container).remove("image"));
    return spec;
  }

  private static void checkSpec(ObjectNode pod, Problems problems) {
    checkGates(at(pod, GATES), problems);
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

  private static void checkGates(JsonNode gates, Problems problems) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < gates.size(); i++) {
      if (!names.add(text(gates.path(i), "name"))) {
        problems.duplicate(GATES + "[" + i + "]", gates.path(i).path("name"));
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
