package io.gpudra.controller.translate.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.ObjectNames;
import io.gpudra.controller.translate.SourceObjects;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.V1Devices.V1Config;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.parameters.SharingSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Classes with their parameters. */
final class ClassTranslation {
  static final String GROUP_KIND = "resource.k8s.io/" + SourceObjects.RESOURCE_CLASS;

  /** Names have 253 characters; those of bindings have a number behind them. */
  private static final int MAX_NAME = 250;

  private static final String ADMIN_ACCESS = "resource.kubernetes.io/admin-access";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private ClassTranslation() {}

  /** A DeviceClass in the making. */
  static final class ClassDraft {
    final String name;
    private final SourceObject ofClass;
    final List<String> selectors = new ArrayList<>();
    final List<ObjectNode> policies = new ArrayList<>();
    Optional<SharingSpec> sharing = Optional.empty();

    ClassDraft(SourceObject ofClass) {
      this.name = ofClass.name();
      this.ofClass = ofClass;
    }

    /** The name of a policy of the class; a long one is cut and ends with a part of its hash. */
    String policyName(String purpose, ClaimContext context) {
      String whole = name + "-" + purpose;
      String cut = ObjectNames.fitting(whole, MAX_NAME);
      if (!cut.equals(whole)) {
        context.remarkOnce(ofClass, "metadata.name", ClassField.POLICY_NAME, whole, cut);
      }
      return cut;
    }

    private ObjectNode spec(ClaimContext context) {
      ObjectNode spec = NODES.objectNode();
      spec.set("selectors", V1Devices.array(selectors, V1Devices::selector));
      sharing
          .map(one -> context.config(one))
          .map(one -> new V1Config(ImmutableList.of(), context.driver(), one))
          .ifPresent(one -> spec.putArray("config").add(one.json()));
      return spec;
    }
  }

  /** Whether a class is one of this driver. */
  static boolean isOurs(SourceObject ofClass, TranslationSession session) {
    return ofClass.json().path("driverName").asText().equals(session.options().driver());
  }

  /** What the rows of a class read and remark; refused if its parameters are. */
  static ClaimContext context(SourceObject ofClass, TranslationSession session) {
    Optional<SourceObject> named = session.objects().parameters(ofClass);
    GpuClassParametersSpec spec =
        named
            .filter(found -> session.problems(LintKind.CLASS_PARAMETERS, found).isEmpty())
            .flatMap(found -> found.spec(GpuClassParametersSpec.class))
            .orElse(GpuClassParametersSpec.EMPTY);
    ClaimContext context = new ClaimContext(session, ofClass, named.orElse(ofClass), spec);
    refuseInvalid(ofClass, LintKind.RESOURCE_CLASS, context, session);
    named.ifPresent(found -> refuseInvalid(found, LintKind.CLASS_PARAMETERS, context, session));
    if (ofClass.reference().isObject() && named.isEmpty()) {
      context.refuse(
          ofClass,
          "parametersRef",
          ClaimField.PARAMETERS_MISSING,
          ofClass.reference().path("kind").asText(),
          ofClass.reference().path("name").asText());
    }
    return context;
  }

  private static void refuseInvalid(
      SourceObject object, LintKind kind, ClaimContext context, TranslationSession session) {
    ImmutableList<String> problems = session.problems(kind, object);
    if (!problems.isEmpty()) {
      context.refuse(object, "", ClaimField.PARAMETERS_INVALID, String.join("; ", problems));
    }
  }

  /** Migrates a class. */
  static void migrate(SourceObject ofClass, TranslationSession session) {
    if (!isOurs(ofClass, session)) {
      return;
    }
    ClaimContext context = context(ofClass, session);
    ClassDraft draft = new ClassDraft(ofClass);
    Stream.of(ClassField.values()).forEach(field -> field.write(context.ofClass(), draft, context));
    if (ofClass.json().has("suitableNodes")) {
      context.remark(ofClass, "suitableNodes", ClassField.SUITABLE_NODES);
    }
    ObjectNode spec = draft.spec(context);
    context.tell();
    if (context.isRefused()) {
      session.comment(ofClass, context.reason());
    } else {
      write(ofClass, spec, session.edits(ofClass));
      draft.policies.forEach(policy -> session.after(ofClass, policy));
    }
  }

  private static void write(SourceObject ofClass, ObjectNode spec, TextEdits edits) {
    edits.replaceValue(ofClass.field("apiVersion"), NODES.textNode(V1Devices.API));
    edits.replaceValue(ofClass.field("kind"), NODES.textNode("DeviceClass"));
    edits.replaceField(ofClass.root(), "driverName", NODES.objectNode().set("spec", spec));
    Stream.of("parametersRef", "suitableNodes")
        .filter(name -> ofClass.root().field(name).isPresent())
        .forEach(name -> edits.replaceField(ofClass.root(), name, NODES.objectNode()));
  }

  /** The condition that a device is one of these. */
  static String anyOf(List<@Nullable DeviceSelector> selectors, ClaimContext context) {
    return selectors.stream()
        .filter(Objects::nonNull)
        .map(selector -> allOf(selector, context))
        .collect(Collectors.joining(" || "));
  }

  private static String allOf(DeviceSelector selector, ClaimContext context) {
    List<String> parts = new ArrayList<>();
    if (!"*".equals(selector.type())) {
      boolean mig = DeviceSelector.MIG.equals(selector.type());
      parts.add("%s %s \"mig\"".formatted(context.attribute("type"), mig ? "==" : "!="));
    }
    String name = String.valueOf(selector.name());
    if (!name.equals("*")) {
      parts.add(
          "%s.lowerAscii().matches(\"^%s$\")"
              .formatted(context.attribute("productName"), pattern(name)));
    }
    return parts.isEmpty() ? "true" : "(" + String.join(" && ", parts) + ")";
  }

  /** The pattern of a whole name, in a condition; all but {@code *} stands for itself. */
  private static String pattern(String name) {
    return Splitter.on('*')
        .splitToStream(Ascii.toLowerCase(name))
        .map(part -> part.replaceAll("[^\\p{L}\\p{N} _-]", "\\\\\\\\$0"))
        .collect(Collectors.joining(".*"));
  }

  /** Labels the namespaces of monitoring claims, which Kubernetes asks for. */
  static void migrateNamespace(SourceObject namespace, TranslationSession session) {
    boolean monitors =
        session
            .claims()
            .filter(claim -> claim.namespace().equals(namespace.name()))
            .flatMap(claim -> ClaimMigration.outcome(claim, session).translated().stream())
            .anyMatch(context -> context.ofClass().monitors());
    boolean labelled = namespace.json().path("metadata").path("labels").has(ADMIN_ACCESS);
    if (monitors && !labelled) {
      addLabel(namespace, session);
    }
  }

  /** Labels that are no mapping are left, since the API server refuses such an object. */
  private static void addLabel(SourceObject namespace, TranslationSession session) {
    JsonNode present = namespace.json().path("metadata").path("labels");
    ObjectNode label = NODES.objectNode().put(ADMIN_ACCESS, "true");
    TextEdits edits = session.edits(namespace);
    if (present.isObject()) {
      LocatedValue labels = namespace.at("metadata.labels").orElseThrow();
      edits.addField(labels, ADMIN_ACCESS, label.get(ADMIN_ACCESS));
    } else if (present.isMissingNode() || present.isNull()) {
      edits.setField(namespace.field("metadata"), "labels", label);
    } else {
      session.remark(namespace, "metadata.labels", ClassField.MONITOR_NAMESPACE, namespace.name());
    }
  }

  /** Tells that the namespace of a monitoring claim needs a label. */
  static void remarkNamespace(
      SourceObject claim, ClaimContext context, TranslationSession session) {
    String namespace = claim.namespace().isEmpty() ? "default" : claim.namespace();
    if (session.objects().find("/Namespace", "", namespace, claim.source()).isEmpty()) {
      context.remarkOnce(claim, "metadata.namespace", ClassField.MONITOR_NAMESPACE, namespace);
    }
  }
}
