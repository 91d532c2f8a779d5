package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** ResourceClaims: protocol.md 1.2 and the status rules U1 to U8 of its 1.3. */
final class ResourceClaimRules implements Rules {
  private static final int LIST_LIMIT = 32;
  private static final int DATA_LIMIT_BYTES = 16384;
  private static final String RESERVED = "status.reservedFor";
  private static final String REQUESTED = "status.deallocationRequested";
  private static final String HANDLES = "status.allocation.resourceHandles";

  @Override
  public void prepareCreate(ObjectNode claim) {
    claim.putObject("status");
    defaultMode(claim.withObjectProperty("spec"));
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    defaultMode(next.withObjectProperty("spec"));
    ObjectNode status = next.withObjectProperty("status");
    if (!status.path("deallocationRequested").asBoolean()) {
      status.remove("deallocationRequested");
    }
    if (status.path("reservedFor").isEmpty()) {
      status.remove("reservedFor");
    }
  }

  static void defaultMode(ObjectNode spec) {
    if (!spec.hasNonNull("allocationMode")) {
      spec.put("allocationMode", "WaitForFirstConsumer");
    }
  }

  @Override
  public List<Problem> problems(Write write) {
    if (write.old().isEmpty()) {
      return spec("spec", at(write.next(), "spec"));
    }
    ObjectNode old = write.old().get();
    if (write.status()) {
      return status(write.next(), old);
    }
    JsonNode spec = at(write.next(), "spec");
    return spec.equals(at(old, "spec")) ? List.of() : List.of(Problem.immutable("spec", spec));
  }

  static List<Problem> spec(String field, JsonNode spec) {
    List<Problem> problems =
        new ArrayList<>(
            Naming.subdomain(field + ".resourceClassName", text(spec, "resourceClassName")));
    if (spec.has("parametersRef")) {
      problems.addAll(reference(field + ".parametersRef", spec.path("parametersRef")));
    }
    if (!ImmutableSet.of("Immediate", "WaitForFirstConsumer")
        .contains(text(spec, "allocationMode"))) {
      problems.add(
          Problem.unsupported(
              field + ".allocationMode",
              spec.path("allocationMode"),
              "\"Immediate\", \"WaitForFirstConsumer\""));
    }
    return problems;
  }

  static List<Problem> reference(String field, JsonNode reference) {
    return missing(field, reference, "kind", "name");
  }

  private static List<Problem> missing(String field, JsonNode node, String... names) {
    List<Problem> problems = new ArrayList<>();
    for (String name : names) {
      if (text(node, name).isEmpty()) {
        problems.add(Problem.required(field + "." + name, ""));
      }
    }
    return problems;
  }

  private static List<Problem> status(ObjectNode next, ObjectNode old) {
    List<Problem> problems = new ArrayList<>();
    boolean allocated = at(next, "status.allocation").isObject();
    String driver = text(next, "status.driverName");
    if (allocated && driver.isEmpty()) {
      problems.add(
          Problem.required("status.driverName", "must be specified when `allocation` is set"));
    }
    if (!driver.isEmpty()) {
      problems.addAll(Naming.driver("status.driverName", driver));
    }
    if (allocated) {
      problems.addAll(allocation(at(next, "status.allocation")));
    }
    problems.addAll(reservations(next, old, allocated));
    problems.addAll(deallocation(next, old, allocated));
    return problems;
  }

  private static List<Problem> allocation(JsonNode allocation) {
    List<Problem> problems = new ArrayList<>();
    JsonNode handles = allocation.path("resourceHandles");
    if (handles.size() > LIST_LIMIT) {
      problems.add(limit(HANDLES, LIST_LIMIT));
    }
    for (int i = 0; i < handles.size(); i++) {
      String field = HANDLES + "[" + i + "]";
      JsonNode handle = handles.get(i);
      problems.addAll(Naming.driver(field + ".driverName", text(handle, "driverName")));
      if (text(handle, "data").getBytes(StandardCharsets.UTF_8).length > DATA_LIMIT_BYTES) {
        problems.add(limit(field + ".data", DATA_LIMIT_BYTES));
      }
    }
    if (allocation.has("availableOnNodes")) {
      problems.addAll(
          NodeSelectorRules.problems(
              "status.allocation.availableOnNodes", allocation.path("availableOnNodes")));
    }
    return problems;
  }

  private static List<Problem> reservations(ObjectNode next, ObjectNode old, boolean allocated) {
    List<Problem> problems = new ArrayList<>();
    JsonNode reserved = at(next, RESERVED);
    int limit = at(next, "status.allocation.shareable").asBoolean() ? LIST_LIMIT : 1;
    if (!reserved.isEmpty() && !allocated) {
      problems.add(Problem.forbidden(RESERVED, "may not be specified when `allocated` is not set"));
    } else if (reserved.size() > LIST_LIMIT) {
      problems.add(limit(RESERVED, LIST_LIMIT));
    } else if (reserved.size() > limit) {
      problems.add(Problem.forbidden(RESERVED, "may not be reserved more than once"));
    }
    problems.addAll(consumers(reserved));
    boolean ending =
        at(next, REQUESTED).asBoolean() || !text(old, "metadata.deletionTimestamp").isEmpty();
    if (ending && hasNewEntry(reserved, at(old, RESERVED))) {
      problems.add(
          Problem.forbidden(
              RESERVED,
              "new entries may not be added while `deallocationRequested` or `deletionTimestamp`"
                  + " are set"));
    }
    return problems;
  }

  private static List<Problem> consumers(JsonNode reserved) {
    List<Problem> problems = new ArrayList<>();
    Set<JsonNode> uids = new HashSet<>();
    for (int i = 0; i < reserved.size(); i++) {
      String field = RESERVED + "[" + i + "]";
      problems.addAll(missing(field, reserved.get(i), "resource", "name", "uid"));
      if (!uids.add(reserved.get(i).path("uid"))) {
        problems.add(Problem.duplicate(field + ".uid", reserved.get(i).path("uid")));
      }
    }
    return problems;
  }

  private static boolean hasNewEntry(JsonNode reserved, JsonNode before) {
    Set<JsonNode> known = new HashSet<>();
    before.forEach(known::add);
    for (JsonNode entry : reserved) {
      if (!known.contains(entry)) {
        return true;
      }
    }
    return false;
  }

  private static List<Problem> deallocation(ObjectNode next, ObjectNode old, boolean allocated) {
    List<Problem> problems = new ArrayList<>();
    JsonNode before = at(old, "status.allocation");
    if (allocated && before.isObject() && !before.equals(at(next, "status.allocation"))) {
      problems.add(Problem.immutable("status.allocation", at(next, "status.allocation")));
    }
    boolean requested = at(next, REQUESTED).asBoolean();
    boolean wasRequested = at(old, REQUESTED).asBoolean();
    if (requested && !wasRequested && !at(next, RESERVED).isEmpty()) {
      problems.add(
          Problem.forbidden(
              REQUESTED, "deallocation cannot be requested while `reservedFor` is set"));
    }
    if (requested && !allocated) {
      problems.add(
          Problem.forbidden(
              "status", "`allocation` must be set when `deallocationRequested` is set"));
    }
    if (wasRequested && !requested && allocated) {
      problems.add(Problem.forbidden(REQUESTED, "may not be cleared when `allocation` is set"));
    }
    return problems;
  }

  static Problem limit(String field, int limit) {
    return Problem.tooLong(field, "may not be longer than " + limit);
  }
}
