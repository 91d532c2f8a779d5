package io.gpudra.controller.translate.migrate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.translate.ObjectField;
import io.gpudra.controller.translate.ObjectNames;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.crds.api.NodeInventorySpec;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Taints of the inventory of a node, which are objects by themselves in later versions. */
final class TaintMigration {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEVICE = "device";

  private TaintMigration() {}

  /** Puts a rule for each taint in the place of an inventory. */
  static void migrate(SourceObject inventory, TranslationSession session) {
    ImmutableList<JsonNode> taints =
        Streams.stream(inventory.json().path("spec").path("taints")).collect(toImmutableList());
    if (taints.isEmpty()) {
      return;
    }
    taints.stream()
        .flatMap(taint -> Stream.of("until", "reason").filter(taint::has))
        .distinct()
        .forEach(field -> session.remark(inventory, "spec.taints", ObjectField.TAINT_FIELD, field));
    if (!session.options().to().hasTaintRules()) {
      session.gate(session.options().to().taintRuleGate());
    }
    session.replace(
        inventory, taints.stream().map(taint -> rule(inventory.name(), taint, session)));
  }

  private static ObjectNode rule(String node, JsonNode taint, TranslationSession session) {
    String device = taint.path(DEVICE).asText(NodeInventorySpec.EVERY_DEVICE);
    boolean every = device.equals(NodeInventorySpec.EVERY_DEVICE);
    String key = taint.path("key").asText();
    String name =
        Stream.of(node, every ? "all" : device, key.substring(key.indexOf('/') + 1))
            .collect(Collectors.joining("-"));
    ObjectNode rule = NODES.objectNode();
    rule.put("apiVersion", session.options().to().taintRuleApi()).put("kind", "DeviceTaintRule");
    rule.putObject("metadata").put("name", ObjectNames.fitting(name));
    ObjectNode spec = rule.putObject("spec");
    ObjectNode selector = spec.putObject("deviceSelector");
    selector.put("driver", session.options().toDriver()).put("pool", node);
    if (!every) {
      selector.put(DEVICE, device);
    }
    ObjectNode fields = spec.putObject("taint");
    V1Devices.copyTaint(taint, fields);
    return rule;
  }
}
