package io.gpudra.controller.translate.convert;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventorySpec;
import java.util.stream.Stream;

/** Taints by rules of an administrator, which are fields of the inventory of a node here. */
final class TaintConversion {
  static final String RULE = "resource.k8s.io/DeviceTaintRule";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEVICE = "device";

  private TaintConversion() {}

  /** Puts the taints of all rules of a node into an inventory, in the place of the first rule. */
  static void convert(SourceObject rule, TranslationSession session) {
    String pool = selector(rule).path("pool").asText();
    ImmutableList<SourceObject> ofPool =
        session
            .objects()
            .of(RULE)
            .filter(other -> selector(other).path("pool").asText().equals(pool))
            .collect(toImmutableList());
    if (pool.isEmpty()) {
      session.refuse(rule, "spec.deviceSelector", ConversionField.TAINT_RULE_ANYWHERE);
    } else if (ofPool.get(0).equals(rule)) {
      session.replace(rule, Stream.of(inventory(pool, ofPool)));
    } else {
      session.omit(rule, "its taint is in NodeInventory \"%s\".".formatted(pool));
    }
  }

  private static JsonNode selector(SourceObject rule) {
    return rule.json().path("spec").path("deviceSelector");
  }

  private static ObjectNode inventory(String node, ImmutableList<SourceObject> rules) {
    ObjectNode inventory = NODES.objectNode();
    inventory.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", NodeInventory.KIND);
    inventory.putObject("metadata").put("name", node);
    ObjectNode spec = inventory.putObject("spec");
    spec.set("taints", V1Devices.array(rules, TaintConversion::taint));
    return inventory;
  }

  private static ObjectNode taint(SourceObject rule) {
    String device = selector(rule).path(DEVICE).asText(NodeInventorySpec.EVERY_DEVICE);
    ObjectNode taint = NODES.objectNode().put(DEVICE, device);
    JsonNode from = rule.json().path("spec").path("taint");
    V1Devices.copyTaint(from, taint);
    return taint;
  }
}
