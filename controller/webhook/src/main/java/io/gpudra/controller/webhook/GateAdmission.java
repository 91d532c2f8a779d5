package io.gpudra.controller.webhook;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.gpudra.controller.gate.GateName;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds the driver's scheduling gate to new pods that use claims. The API server sends only pods of
 * namespaces with the label {@code <driver>/grant-first: "true"}.
 */
public final class GateAdmission {
  private static final String GATES = "/spec/schedulingGates";

  private final String gate;

  /** Adds the gate of this name. */
  public GateAdmission(GateName gateName) {
    this.gate = gateName.own();
  }

  /** Adds the gate, unless the pod has it, has no claim, or has a node. */
  AdmissionDecision decide(ReviewRequest review) {
    boolean created = review.creates() && !review.ofPart();
    return (created ? review.spec() : Optional.<JsonObject>empty())
        .filter(pod -> !hasText(pod.get("nodeName")) && hasEntries(pod.get("resourceClaims")))
        .flatMap(pod -> gated(pod.get("schedulingGates")))
        .orElseGet(AdmissionDecision::allowed);
  }

  private Optional<AdmissionDecision> gated(@Nullable JsonElement gates) {
    if (gates instanceof JsonArray list && !list.isEmpty()) {
      return list.contains(entry()) ? Optional.empty() : Optional.of(change(GATES + "/-", entry()));
    }
    return Optional.of(change(GATES, listed(entry())));
  }

  private static boolean hasEntries(@Nullable JsonElement list) {
    return list instanceof JsonArray entries && !entries.isEmpty();
  }

  private static boolean hasText(@Nullable JsonElement text) {
    return text != null && text.isJsonPrimitive() && !text.getAsString().isEmpty();
  }

  private JsonObject entry() {
    JsonObject entry = new JsonObject();
    entry.addProperty("name", gate);
    return entry;
  }

  private static AdmissionDecision change(String path, JsonElement value) {
    JsonObject operation = new JsonObject();
    operation.addProperty("op", "add");
    operation.addProperty("path", path);
    operation.add("value", value);
    return new AdmissionDecision.Changed(listed(operation));
  }

  private static JsonArray listed(JsonObject one) {
    JsonArray list = new JsonArray();
    list.add(one);
    return list;
  }
}
