package io.gpudra.controller.translate.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.OpaqueConfigs;
import io.gpudra.controller.translate.SourceObjects;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.cel.V1ConditionReader.Part;
import io.gpudra.controller.translate.cel.V1ConditionReader.Selection;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** DeviceClasses, which become ResourceClasses with their parameters. */
final class ClassConversion {
  static final String GROUP_KIND = "resource.k8s.io/DeviceClass";

  /** The end of the name of a class for the claims that see devices in use. */
  static final String MONITOR = "-monitor";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String ADMIN_ACCESS = "resource.kubernetes.io/admin-access";

  private ClassConversion() {}

  /** The driver of the class, if it is another one. */
  static Optional<String> otherDriver(SourceObject deviceClass, TranslationSession session) {
    return selection(deviceClass, session).parts().get(Part.DRIVER).stream()
        .filter(driver -> !driver.equals(session.options().driver()))
        .findFirst();
  }

  /** What the selectors of a class say. */
  static Selection selection(SourceObject deviceClass, TranslationSession session) {
    return session
        .conditionReader()
        .read(V1Devices.expressions(deviceClass.json().path("spec").path("selectors")));
  }

  /** Converts a class; one of another driver stays. */
  static void convert(SourceObject deviceClass, TranslationSession session) {
    Optional<String> other = otherDriver(deviceClass, session);
    if (other.isPresent()) {
      session.remark(deviceClass, "spec.selectors", ConversionField.FOREIGN_CLASS, other.get());
      return;
    }
    ObjectNode parameters = parameters(deviceClass, session);
    if (!parameters.isEmpty()) {
      session.before(deviceClass, object(deviceClass.name(), parameters));
    }
    remark(deviceClass, session);
    write(deviceClass, !parameters.isEmpty(), session);
  }

  private static void remark(SourceObject deviceClass, TranslationSession session) {
    selection(deviceClass, session)
        .problems()
        .forEach(
            problem ->
                session.remark(deviceClass, "spec.selectors", ConversionField.CONDITION, problem));
    String resource = deviceClass.json().path("spec").path("extendedResourceName").asText();
    if (!resource.isEmpty()) {
      session.remark(
          deviceClass, "spec.extendedResourceName", ConversionField.EXTENDED_RESOURCE, resource);
    }
  }

  private static ObjectNode parameters(SourceObject deviceClass, TranslationSession session) {
    Selection selection = selection(deviceClass, session);
    ObjectNode spec = NODES.objectNode();
    selection.value(Part.TYPE).ifPresent(type -> restrict(type, spec));
    selection.value(Part.ENFORCED).ifPresent(unused -> spec.put("enforceLimits", true));
    String cel = cel(selection);
    if (!cel.isEmpty()) {
      spec.put("cel", cel);
    }
    deviceClass
        .json()
        .path("spec")
        .path("config")
        .forEach(
            config ->
                ClaimConversion.sharing(
                        V1Devices.V1Config.of(config), deviceClass, "spec.config", session)
                    .ifPresent(sharing -> spec.set("sharing", OpaqueConfigs.fields(sharing))));
    return spec;
  }

  /** A claim is one of whole GPUs by itself. */
  private static void restrict(String type, ObjectNode spec) {
    if (type.equals(DeviceSelector.MIG)) {
      spec.putArray("deviceSelector").addObject().put("type", type).put("name", "*");
    } else if (type.equals("share")) {
      spec.put("mode", DeviceRequest.SHARED);
    }
  }

  /** A class has no other fields for these. */
  private static String cel(Selection selection) {
    Stream<String> parts =
        Stream.of(
                selection.value(Part.PROFILE).map("device.migProfile == '%s'"::formatted).stream(),
                selection
                    .value(Part.MEMORY)
                    .map("device.nominalMemory >= quantity('%s')"::formatted)
                    .stream(),
                selection.parts().get(Part.CAPABILITY).stream()
                    .map("'%s' in device.capabilities"::formatted),
                Stream.of(selection.cel()).filter(cel -> !cel.isEmpty()))
            .flatMap(all -> all);
    List<String> all = parts.toList();
    return all.size() == 1
        ? all.get(0)
        : all.stream().map("(%s)"::formatted).collect(Collectors.joining(" && "));
  }

  private static void write(
      SourceObject deviceClass, boolean hasParameters, TranslationSession session) {
    ObjectNode fields = NODES.objectNode().put("driverName", session.options().driver());
    if (hasParameters) {
      fields.set("parametersRef", reference(deviceClass.name()));
    }
    JsonNode nodes = deviceClass.json().path("spec").path("suitableNodes");
    if (nodes.isObject()) {
      fields.set("suitableNodes", nodes);
    }
    TextEdits edits = session.edits(deviceClass);
    edits.replaceValue(
        deviceClass.field("apiVersion"), NODES.textNode(ManifestTranslator.V1ALPHA2));
    edits.replaceValue(deviceClass.field("kind"), NODES.textNode(SourceObjects.RESOURCE_CLASS));
    edits.replaceField(deviceClass.root(), "spec", fields);
  }

  private static ObjectNode reference(String name) {
    return NODES
        .objectNode()
        .put("apiGroup", GpuApi.GROUP)
        .put("kind", GpuClassParameters.KIND)
        .put("name", name);
  }

  private static ObjectNode object(String name, ObjectNode spec) {
    ObjectNode object = NODES.objectNode();
    object.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", GpuClassParameters.KIND);
    object.putObject("metadata").put("name", name);
    return object.set("spec", spec);
  }

  /** A class whose claims see every GPU of a node, and its parameters. */
  static List<ObjectNode> monitoring(String name, String driver) {
    ObjectNode spec = NODES.objectNode().put("monitor", true);
    spec.putObject("namespaceSelector").putObject("matchLabels").put(ADMIN_ACCESS, "true");
    ObjectNode ofClass = NODES.objectNode();
    ofClass
        .put("apiVersion", ManifestTranslator.V1ALPHA2)
        .put("kind", SourceObjects.RESOURCE_CLASS);
    ofClass.putObject("metadata").put("name", name);
    ofClass.put("driverName", driver).set("parametersRef", reference(name));
    return List.of(object(name, spec), ofClass);
  }
}
