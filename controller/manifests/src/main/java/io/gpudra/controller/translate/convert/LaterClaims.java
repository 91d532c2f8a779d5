package io.gpudra.controller.translate.convert;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.convert.RequestSplit.ClaimPart;
import io.gpudra.controller.translate.migrate.ClaimField;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Claims and templates of later versions, which become claims with parameters. */
final class LaterClaims {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private LaterClaims() {}

  /**
   * A claim here.
   *
   * @param parameters the spec of its parameters, empty if there is nothing to say
   * @param refusal why it is not translated
   */
  private record ConvertedClaim(
      String name, String className, ObjectNode parameters, Optional<String> refusal) {

    ObjectNode spec() {
      return LaterClaims.spec(name, className, parameters);
    }

    /** The parameters in the namespace of the claim; none if there is nothing to say. */
    Stream<ObjectNode> object(SourceObject claim) {
      return parameters.isEmpty()
          ? Stream.empty()
          : Stream.of(LaterClaims.parameters(name, claim.namespace(), parameters));
    }
  }

  /** Converts a claim or a template; one of another driver stays, as its class does. */
  static void convert(SourceObject claim, TranslationSession session) {
    JsonNode devices = claim.claim().value().path("devices");
    if (!devices.isObject() || otherDriver(devices, claim, session)) {
      return;
    }
    if (!V1Devices.of(devices).isComplete()) {
      session.refuse(claim, claim.claimSpec() + ".devices", ConversionField.NO_REQUEST);
      return;
    }
    V1Devices.unread(devices)
        .forEach(
            path ->
                session.remark(
                    claim,
                    claim.claimSpec() + ".devices." + path,
                    ConversionField.UNKNOWN_FEATURE,
                    path));
    ImmutableList<ConvertedClaim> converted =
        RequestSplit.of(session).parts(claim).stream()
            .map(part -> converted(part, claim, V1Devices.of(devices), session))
            .collect(toImmutableList());
    Optional<String> refusal =
        converted.stream().flatMap(one -> one.refusal().stream()).findFirst();
    refusal.ifPresentOrElse(
        reason -> session.comment(claim, reason), () -> write(claim, converted, session));
  }

  private static ConvertedClaim converted(
      ClaimPart part, SourceObject claim, V1Devices devices, TranslationSession session) {
    ClaimConversion conversion = new ClaimConversion(claim, devices, part.requests(), session);
    String name = part.name(claim.name());
    ObjectNode spec = conversion.spec();
    ImmutableList<String> problems =
        session.problems(LintKind.CLAIM_PARAMETERS, parameters(name, claim.namespace(), spec));
    if (!name.equals(claim.name() + part.suffix())) {
      session.remark(
          claim, "metadata.name", ConversionField.LONG_NAME, claim.name() + part.suffix(), name);
    }
    if (!problems.isEmpty()) {
      conversion.refuse(ClaimField.PARAMETERS_INVALID, String.join("; ", problems));
    }
    if (conversion.monitors() && session.isFirst(conversion.className())) {
      ClassConversion.monitoring(conversion.className(), session.options().driver())
          .forEach(object -> session.before(claim, object));
    }
    return new ConvertedClaim(name, conversion.className(), spec, conversion.refusal());
  }

  /** Devices are published by the plugin. */
  static void omitSlice(SourceObject slice, TranslationSession session) {
    session.remark(slice, "", ConversionField.RESOURCE_SLICE);
    session.omit(slice, "the plugin publishes a NodeInventory.");
  }

  private static boolean otherDriver(
      JsonNode devices, SourceObject claim, TranslationSession session) {
    return V1Devices.of(devices).requests().stream()
        .flatMap(request -> request.choices().stream())
        .flatMap(
            choice ->
                session
                    .objects()
                    .find(ClassConversion.GROUP_KIND, "", choice.deviceClassName(), claim.source())
                    .stream())
        .anyMatch(found -> ClassConversion.otherDriver(found, session).isPresent());
  }

  private static void write(
      SourceObject claim, ImmutableList<ConvertedClaim> converted, TranslationSession session) {
    remarkSplit(claim, converted, session);
    if (converted.size() == 1) {
      converted.get(0).object(claim).forEach(object -> session.before(claim, object));
      edit(claim, converted.get(0).spec(), session.edits(claim));
    } else {
      session.replace(
          claim,
          converted.stream()
              .flatMap(one -> Stream.concat(one.object(claim), Stream.of(copy(claim, one)))));
    }
  }

  private static void remarkSplit(
      SourceObject claim, ImmutableList<ConvertedClaim> converted, TranslationSession session) {
    boolean named = RequestSplit.of(session).named().contains(claim);
    if (converted.size() > 1) {
      session.remark(
          claim,
          claim.claimSpec() + ".devices.requests",
          named ? ConversionField.CONTAINER_REQUEST : ConversionField.CLASSES_DIFFER,
          converted.stream().map(ConvertedClaim::name).collect(Collectors.joining(", ")));
    } else if (named && RequestSplit.of(session).isTied(claim)) {
      session.remark(
          claim,
          claim.claimSpec() + ".devices.constraints",
          ConversionField.CONTAINER_REQUEST_TIED);
    }
  }

  private static void edit(SourceObject claim, ObjectNode spec, TextEdits edits) {
    edits.replaceValue(claim.field("apiVersion"), NODES.textNode(ManifestTranslator.V1ALPHA2));
    edits.replaceValue(claim.claim(), spec);
    if (claim.root().field("status").isPresent()) {
      edits.replaceField(claim.root(), "status", NODES.objectNode());
    }
  }

  private static ObjectNode copy(SourceObject claim, ConvertedClaim one) {
    ObjectNode copy = claim.json().deepCopy();
    copy.put("apiVersion", ManifestTranslator.V1ALPHA2).remove("status");
    copy.withObject("/metadata").put("name", one.name());
    ObjectNode spec = copy.withObject("/" + claim.claimSpec().replace('.', '/'));
    spec.removeAll();
    spec.setAll(one.spec());
    return copy;
  }

  private static ObjectNode spec(String name, String className, ObjectNode parameters) {
    ObjectNode spec = NODES.objectNode().put("resourceClassName", className);
    if (!parameters.isEmpty()) {
      spec.putObject("parametersRef")
          .put("apiGroup", GpuApi.GROUP)
          .put("kind", GpuClaimParameters.KIND)
          .put("name", name);
    }
    return spec;
  }

  /** A template for claims with these parameters, which have its name. */
  static ObjectNode template(
      String name, String namespace, String className, ObjectNode parameters) {
    ObjectNode object = NODES.objectNode();
    object.put("apiVersion", ManifestTranslator.V1ALPHA2).put("kind", "ResourceClaimTemplate");
    object.set("metadata", metadata(name, namespace));
    object.putObject("spec").set("spec", spec(name, className, parameters));
    return object;
  }

  private static ObjectNode metadata(String name, String namespace) {
    ObjectNode metadata = NODES.objectNode().put("name", name);
    return namespace.isEmpty() ? metadata : metadata.put("namespace", namespace);
  }

  /** The object with these parameters. */
  static ObjectNode parameters(String name, String namespace, ObjectNode spec) {
    ObjectNode object = NODES.objectNode();
    object.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", GpuClaimParameters.KIND);
    object.set("metadata", metadata(name, namespace));
    return object.set("spec", spec);
  }
}
