package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.collect.Iterables;
import io.gpudra.simulator.api.Problems;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** ResourceClaims: protocol.md 1.2 and the status rules U1 to U8 of its 1.3. */
final class ResourceClaimRules implements Rules {
  private static final int LIST_LIMIT = 32;
  private static final int DATA_LIMIT_BYTES = 16384;
  private static final String ALLOCATION = "status.allocation";
  private static final String RESERVED = "status.reservedFor";
  private static final String REQUESTED = "status.deallocationRequested";
  private static final JsonNode DELAYED = TextNode.valueOf("WaitForFirstConsumer");
  private static final List<JsonNode> MODES = List.of(TextNode.valueOf("Immediate"), DELAYED);

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
    spec.putIfAbsent("allocationMode", DELAYED);
  }

  @Override
  public void check(Write write, Problems problems) {
    JsonNode spec = at(write.next(), "spec");
    if (write.old().isEmpty()) {
      checkSpec("spec", spec, problems);
    } else if (write.status()) {
      checkStatus(write.next(), write.old().get(), problems);
    } else {
      problems.immutable("spec", at(write.old().get(), "spec"), spec);
    }
  }

  static void checkSpec(String field, JsonNode spec, Problems problems) {
    problems.subdomain(field + ".resourceClassName", text(spec, "resourceClassName"));
    if (spec.has("parametersRef")) {
      JsonNode reference = spec.path("parametersRef");
      problems.requiredFields(field + ".parametersRef", reference, "kind", "name");
    }
    if (!MODES.contains(spec.path("allocationMode"))) {
      problems.unsupported(field + ".allocationMode", spec.path("allocationMode"), MODES);
    }
  }

  private static void checkStatus(ObjectNode next, ObjectNode old, Problems problems) {
    boolean allocated = at(next, ALLOCATION).isObject();
    String driver = text(next, "status.driverName");
    if (!driver.isEmpty()) {
      problems.driver("status.driverName", driver);
    } else if (allocated) {
      problems.required("status.driverName", "must be specified when `allocation` is set");
    }
    checkAllocation(at(next, ALLOCATION), problems);
    checkReservations(next, old, problems);
    checkConsumers(at(next, RESERVED), problems);
    checkDeallocation(next, old, problems);
  }

  private static void checkAllocation(JsonNode allocation, Problems problems) {
    String list = ALLOCATION + ".resourceHandles";
    JsonNode handles = allocation.path("resourceHandles");
    if (handles.size() > LIST_LIMIT) {
      problems.tooLong(list, LIST_LIMIT);
    }
    for (int i = 0; i < handles.size(); i++) {
      String field = list + "[" + i + "]";
      problems.driver(field + ".driverName", text(handles.get(i), "driverName"));
      byte[] data = text(handles.get(i), "data").getBytes(StandardCharsets.UTF_8);
      if (data.length > DATA_LIMIT_BYTES) {
        problems.tooLong(field + ".data", DATA_LIMIT_BYTES);
      }
    }
    if (allocation.has("availableOnNodes")) {
      JsonNode nodes = allocation.path("availableOnNodes");
      ResourceRules.checkSelector(ALLOCATION + ".availableOnNodes", nodes, problems);
    }
  }

  private static void checkReservations(ObjectNode next, ObjectNode old, Problems problems) {
    JsonNode reserved = at(next, RESERVED);
    boolean shareable = at(next, ALLOCATION).path("shareable").asBoolean();
    if (!reserved.isEmpty() && !at(next, ALLOCATION).isObject()) {
      problems.forbidden(RESERVED, "may not be specified when `allocated` is not set");
    } else if (reserved.size() > LIST_LIMIT) {
      problems.tooLong(RESERVED, LIST_LIMIT);
    } else if (reserved.size() > 1 && !shareable) {
      problems.forbidden(RESERVED, "may not be reserved more than once");
    }
    boolean ending =
        at(next, REQUESTED).asBoolean() || !text(old, "metadata.deletionTimestamp").isEmpty();
    JsonNode before = at(old, RESERVED);
    if (ending && Iterables.any(reserved, entry -> !Iterables.contains(before, entry))) {
      problems.forbidden(
          RESERVED,
          "new entries may not be added while `deallocationRequested` or `deletionTimestamp`"
              + " are set");
    }
  }

  private static void checkConsumers(JsonNode reserved, Problems problems) {
    Set<JsonNode> uids = new HashSet<>();
    for (int i = 0; i < reserved.size(); i++) {
      String field = RESERVED + "[" + i + "]";
      problems.requiredFields(field, reserved.get(i), "resource", "name", "uid");
      if (!uids.add(reserved.get(i).path("uid"))) {
        problems.duplicate(field + ".uid", reserved.get(i).path("uid"));
      }
    }
  }

  private static void checkDeallocation(ObjectNode next, ObjectNode old, Problems problems) {
    boolean allocated = at(next, ALLOCATION).isObject();
    if (allocated && at(old, ALLOCATION).isObject()) {
      problems.immutable(ALLOCATION, at(old, ALLOCATION), at(next, ALLOCATION));
    }
    boolean requested = at(next, REQUESTED).asBoolean();
    boolean wasRequested = at(old, REQUESTED).asBoolean();
    if (requested && !wasRequested && !at(next, RESERVED).isEmpty()) {
      problems.forbidden(REQUESTED, "deallocation cannot be requested while `reservedFor` is set");
    }
    if (requested && !allocated) {
      problems.forbidden("status", "`allocation` must be set when `deallocationRequested` is set");
    }
    if (wasRequested && !requested && allocated) {
      problems.forbidden(REQUESTED, "may not be cleared when `allocation` is set");
    }
  }
}
