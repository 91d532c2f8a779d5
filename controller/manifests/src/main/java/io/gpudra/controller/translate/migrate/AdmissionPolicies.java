package io.gpudra.controller.translate.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.crds.api.parameters.NamespaceSelector;
import io.gpudra.crds.api.parameters.NamespaceSelector.Expression;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Policies for what a DeviceClass cannot say. They are for claims and templates when these are
 * created: later their specs do not change, and a refused update would keep finalizers.
 */
final class AdmissionPolicies {
  private static final String API = "admissionregistration.k8s.io/v1";
  private static final String DEVICES_OF_CLASS = ".deviceclass.resource.k8s.io/devices";

  /** The name of a class and the rest of a key have 253 characters. */
  private static final int MAX_CLASS_NAME = 224;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEVICES =
      "request.kind.kind == \"ResourceClaimTemplate\" ? dyn(object).spec.spec.devices :"
          + " dyn(object).spec.devices";

  /** Each request as the list of its choices. */
  private static final String REQUESTS =
      "has(variables.devices.requests) ? variables.devices.requests.map(r, has(r.exactly) ?"
          + " [r.exactly] : r.firstAvailable) : []";

  private AdmissionPolicies() {}

  /** Claims of other namespaces are refused: one binding for each term, negated. */
  static ImmutableList<ObjectNode> namespaces(
      String name, String className, NamespaceSelector selector) {
    ImmutableList.Builder<ObjectNode> all = ImmutableList.builder();
    all.add(
        policy(
            name,
            "variables.exact.all(l, l.all(e, e.deviceClassName != \"%s\"))".formatted(className),
            "class %s is not for this namespace".formatted(className)));
    ImmutableList<ObjectNode> terms = negated(selector);
    for (int i = 0; i < terms.size(); i++) {
      ObjectNode binding = binding(name, "-" + i);
      binding
          .withObject("/spec/matchResources/namespaceSelector")
          .putArray("matchExpressions")
          .add(terms.get(i));
      all.add(binding);
    }
    return all.build();
  }

  /** Claims of more devices are refused. */
  static ImmutableList<ObjectNode> limits(String name, String className, int devices) {
    String none = "e.deviceClassName != \"%s\"".formatted(className);
    String rule =
        ("variables.exact.map(l, l.map(e, %1$s ? 0 : has(e.count) ? int(e.count) : 1).max()).sum()"
                + " <= %2$d && variables.exact.all(l, l.all(e, %1$s || !has(e.allocationMode) ||"
                + " e.allocationMode != \"All\"))")
            .formatted(none, devices);
    return ImmutableList.of(
        policy(name, rule, "class %s gives a claim %d devices".formatted(className, devices)),
        binding(name, ""));
  }

  /** Claims whose selectors have these words are refused. */
  static ImmutableList<ObjectNode> attributes(
      String name, String className, Collection<String> words) {
    String rule =
        words.stream()
            .map("s.cel.expression.contains(\"%s\")"::formatted)
            .collect(Collectors.joining(" || "));
    return ImmutableList.of(
        policy(
            name,
            ("variables.exact.all(l, l.all(e, e.deviceClassName != \"%s\" || !has(e.selectors) ||"
                    + " e.selectors.all(s, !(%s))))")
                .formatted(className, rule),
            "class %s forbids conditions on %s".formatted(className, String.join(", ", words))),
        binding(name, ""));
  }

  /** A GpuQuota becomes a ResourceQuota of the devices of each class that it names. */
  static void migrateQuota(SourceObject quota, TranslationSession session) {
    JsonNode spec = quota.json().path("spec");
    List<String> classes =
        Streams.stream(spec.path("resourceClassNames")).map(JsonNode::asText).toList();
    String gpus = spec.path("hard").path("gpus").asText();
    Optional<BigDecimal> devices = devices(gpus);
    boolean tooLong = classes.stream().anyMatch(name -> name.length() > MAX_CLASS_NAME);
    if (classes.isEmpty() || devices.isEmpty() || tooLong) {
      String what = classes.isEmpty() ? "of every class" : tooLong ? "of long names" : "of memory";
      session.refuse(quota, "spec", ClassField.GPU_QUOTA_REFUSED, what);
      return;
    }
    int whole = devices.get().setScale(0, RoundingMode.CEILING).intValue();
    session.remark(quota, "spec.hard", ClassField.GPU_QUOTA, gpus, whole);
    JsonNode memory = spec.path("hard").path("memory");
    if (!memory.isMissingNode()) {
      session.remark(quota, "spec.hard.memory", ClassField.GPU_QUOTA_MEMORY, memory.asText());
    }
    write(quota, classes, whole, session.edits(quota));
  }

  private static void write(
      SourceObject quota, List<String> classes, int devices, TextEdits edits) {
    ObjectNode spec = NODES.objectNode();
    ObjectNode hard = spec.putObject("hard");
    classes.forEach(name -> hard.put(name + DEVICES_OF_CLASS, String.valueOf(devices)));
    edits.replaceValue(quota.field("apiVersion"), NODES.textNode("v1"));
    edits.replaceValue(quota.field("kind"), NODES.textNode("ResourceQuota"));
    edits.replaceValue(quota.field("spec"), spec);
  }

  /** The number of GPUs such as {@code 2.5} or {@code 500m}; empty if there is none. */
  private static Optional<BigDecimal> devices(String gpus) {
    boolean thousandths = gpus.endsWith("m");
    String number = thousandths ? gpus.substring(0, gpus.length() - 1) : gpus;
    return number.matches("[0-9]{1,6}([.][0-9]{1,3})?")
        ? Optional.of(new BigDecimal(number).movePointLeft(thousandths ? 3 : 0))
        : Optional.empty();
  }

  private static ObjectNode policy(String name, String rule, String message) {
    ObjectNode policy = object("ValidatingAdmissionPolicy", name);
    ObjectNode spec = policy.putObject("spec").put("failurePolicy", "Fail");
    ObjectNode rules = spec.putObject("matchConstraints").putArray("resourceRules").addObject();
    rules.set("apiGroups", texts("resource.k8s.io"));
    rules.set("apiVersions", texts("v1"));
    rules.set("operations", texts("CREATE"));
    rules.set("resources", texts("resourceclaims", "resourceclaimtemplates"));
    spec.putArray("variables")
        .add(NODES.objectNode().put("name", "devices").put("expression", DEVICES))
        .add(NODES.objectNode().put("name", "exact").put("expression", REQUESTS));
    spec.putArray("validations").addObject().put("expression", rule).put("message", message);
    return policy;
  }

  private static ObjectNode binding(String policy, String suffix) {
    ObjectNode binding = object("ValidatingAdmissionPolicyBinding", policy + suffix);
    binding.putObject("spec").put("policyName", policy).set("validationActions", texts("Deny"));
    return binding;
  }

  private static ObjectNode object(String kind, String name) {
    ObjectNode object = NODES.objectNode().put("apiVersion", API).put("kind", kind);
    object.putObject("metadata").put("name", name);
    return object;
  }

  private static ArrayNode texts(String... texts) {
    return V1Devices.array(List.of(texts), NODES::textNode);
  }

  /** A namespace is not selected if one of these holds. */
  private static ImmutableList<ObjectNode> negated(NamespaceSelector selector) {
    List<ObjectNode> terms = new ArrayList<>();
    Map<String, String> labels = selector.matchLabels() == null ? Map.of() : selector.matchLabels();
    labels.forEach((key, value) -> terms.add(term(key, "NotIn", List.of(value))));
    expressions(selector)
        .map(
            one ->
                term(
                    String.valueOf(one.key()),
                    opposite(String.valueOf(one.operator())),
                    one.values() == null ? List.of() : one.values()))
        .forEach(terms::add);
    return ImmutableList.copyOf(terms);
  }

  private static Stream<Expression> expressions(NamespaceSelector selector) {
    List<@Nullable Expression> all = selector.matchExpressions();
    return all == null ? Stream.of() : all.stream().flatMap(Stream::ofNullable);
  }

  private static ObjectNode term(String key, String operator, List<String> values) {
    ObjectNode term = NODES.objectNode().put("key", key).put("operator", operator);
    if (!values.isEmpty()) {
      term.set("values", V1Devices.array(values, NODES::textNode));
    }
    return term;
  }

  private static String opposite(String operator) {
    return switch (operator) {
      case "In" -> "NotIn";
      case "NotIn" -> "In";
      case "Exists" -> "DoesNotExist";
      default -> "Exists";
    };
  }
}
