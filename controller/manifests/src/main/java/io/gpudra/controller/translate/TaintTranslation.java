package io.gpudra.controller.translate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventorySpec;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Taints of GPUs by administrators: fields of the inventory of a node here, objects by themselves
 * in later versions, where a pool is a node.
 */
final class TaintTranslation {
  static final String RULE = "resource.k8s.io/DeviceTaintRule";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final List<String> FIELDS = List.of("key", "value", "effect");
  private static final String DEVICE = "device";

  private TaintTranslation() {}

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
      replace(rule, Stream.of(inventory(pool, ofPool)), session);
    } else {
      session.omit(rule, "its taint is in NodeInventory \"%s\".".formatted(pool));
    }
  }

  private static JsonNode selector(SourceObject rule) {
    return rule.json().path("spec").path("deviceSelector");
  }

  private static void replace(
      SourceObject object, Stream<ObjectNode> objects, TranslationSession session) {
    session
        .edits(object)
        .replaceDocument(
            object.document(),
            objects
                .map(one -> YamlPrinter.block(one, 0).stripTrailing())
                .collect(Collectors.joining("\n---\n")));
  }

  private static ObjectNode inventory(String node, ImmutableList<SourceObject> rules) {
    ObjectNode inventory = object(GpuApi.GROUP_VERSION, NodeInventory.KIND, node);
    ObjectNode spec = inventory.putObject("spec");
    spec.set("taints", V1Devices.array(rules, TaintTranslation::taint));
    return inventory;
  }

  private static ObjectNode object(String apiVersion, String kind, String name) {
    ObjectNode object = NODES.objectNode().put("apiVersion", apiVersion).put("kind", kind);
    object.putObject("metadata").put("name", name);
    return object;
  }

  private static ObjectNode taint(SourceObject rule) {
    String device = selector(rule).path(DEVICE).asText(NodeInventorySpec.EVERY_DEVICE);
    ObjectNode taint = NODES.objectNode().put(DEVICE, device);
    copy(rule.json().path("spec").path("taint"), taint);
    return taint;
  }

  private static void copy(JsonNode from, ObjectNode to) {
    FIELDS.stream().filter(from::has).forEach(field -> to.set(field, from.get(field)));
  }

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
        .forEach(
            field -> session.remark(inventory, "spec.taints", ConversionField.TAINT_FIELD, field));
    if (!session.options().to().hasTaintRules()) {
      session.gate(TargetVersion.TAINT_RULES);
    }
    replace(
        inventory, taints.stream().map(taint -> rule(inventory.name(), taint, session)), session);
  }

  private static ObjectNode rule(String node, JsonNode taint, TranslationSession session) {
    String device = taint.path(DEVICE).asText(NodeInventorySpec.EVERY_DEVICE);
    boolean every = device.equals(NodeInventorySpec.EVERY_DEVICE);
    String key = taint.path("key").asText();
    String name =
        Stream.of(node, every ? "all" : device, key.substring(key.indexOf('/') + 1))
            .collect(Collectors.joining("-"));
    ObjectNode rule =
        object(
            session.options().to().taintRuleApi(), "DeviceTaintRule", RequestSplit.fitting(name));
    ObjectNode spec = rule.putObject("spec");
    ObjectNode selector = spec.putObject("deviceSelector");
    selector.put("driver", session.options().toDriver()).put("pool", node);
    if (!every) {
      selector.put(DEVICE, device);
    }
    copy(taint, spec.putObject("taint"));
    return rule;
  }
}
