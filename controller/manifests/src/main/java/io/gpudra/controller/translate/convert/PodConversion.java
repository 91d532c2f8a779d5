package io.gpudra.controller.translate.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.SourceObjects;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.convert.RequestSplit.ClaimPart;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Converts pods, and the templates of pods: entries get the spelling of this version, and those of
 * claims that became several become several, too.
 *
 * @param spec the spec of the pods
 * @param path its path
 */
record PodConversion(
    SourceObject object, LocatedValue spec, String path, TranslationSession session) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String ENTRIES = "resourceClaims";
  private static final String RESOURCES = "resources";
  private static final String CLAIMS = "claims";
  private static final String NAME = "name";
  private static final String RUNTIME = "runtimeClassName";

  /** The fields of an entry, and the kinds that they name. */
  private static final ImmutableMap<String, String> SOURCES =
      ImmutableMap.of(
          "resourceClaimName", "ResourceClaim",
          "resourceClaimTemplateName", "ResourceClaimTemplate");

  /** Converts an object with pods. */
  static void convert(SourceObject object, TranslationSession session) {
    String path = LintKind.of(object.apiVersion(), object.kind()).map(LintKind::podSpec).orElse("");
    object
        .at(path)
        .map(spec -> new PodConversion(object, spec, path, session))
        .ifPresent(PodConversion::convert);
  }

  /** The claim or template that an entry of a pod names. */
  static Optional<SourceObject> claim(JsonNode entry, SourceObject pod, SourceObjects objects) {
    return SOURCES.entrySet().stream()
        .filter(source -> entry.has(source.getKey()))
        .flatMap(
            source ->
                objects
                    .find(
                        "resource.k8s.io/" + source.getValue(),
                        pod.namespace(),
                        entry.path(source.getKey()).asText(),
                        pod.source())
                    .stream())
        .findFirst();
  }

  private void convert() {
    DevicePluginPods plugin = DevicePluginPods.of(this);
    List<LocatedValue> entries =
        spec.field(ENTRIES).map(LocatedValue::items).orElse(ImmutableList.of());
    ArrayNode written = V1Devices.array(entries, LocatedValue::value);
    ArrayNode converted =
        V1Devices.array(entries.stream().flatMap(this::entries).toList(), entry -> entry);
    plugin.podEntries().forEach(converted::add);
    containers().forEach(container -> container(container, plugin));
    if (!converted.equals(written)) {
      write(converted, entries);
    }
    plugin.write();
  }

  /** The containers of the pod, the ordinary ones first. */
  Stream<LocatedValue> containers() {
    return Stream.of("containers", "initContainers")
        .flatMap(list -> spec.field(list).stream())
        .flatMap(list -> list.items().stream());
  }

  /** Whether the container ends before the others start. */
  boolean isInit(JsonNode container) {
    return Streams.stream(spec.value().path("initContainers")).anyMatch(container::equals)
        && !container.path("restartPolicy").asText().equals("Always");
  }

  /** The name of the object, for the names of the objects beside it. */
  String workload() {
    JsonNode metadata = object.json().path("metadata");
    return metadata
        .path(NAME)
        .asText(metadata.path("generateName").asText("pod-").replaceFirst("-$", ""));
  }

  void remark(Row row, Object... values) {
    session.remark(object, path, row, values);
  }

  /** The runtime of NVIDIA hands out devices by itself. */
  void takeOutRuntime() {
    if (spec.value().path(RUNTIME).asText().equals("nvidia")) {
      session.edits(object).replaceField(spec, RUNTIME, NODES.objectNode());
      session.remark(object, path + "." + RUNTIME, ConversionField.RUNTIME_CLASS);
    }
    boolean visible =
        containers()
            .flatMap(container -> Streams.stream(container.value().path("env")))
            .anyMatch(variable -> variable.path(NAME).asText().equals("NVIDIA_VISIBLE_DEVICES"));
    if (visible) {
      remark(ConversionField.VISIBLE_DEVICES);
    }
  }

  private ImmutableList<ClaimPart> parts(JsonNode entry) {
    return claim(entry, object, session.objects())
        .map(claim -> RequestSplit.of(session).parts(claim))
        .orElse(ImmutableList.of(new ClaimPart("", ImmutableList.of())));
  }

  private Stream<ObjectNode> entries(LocatedValue entry) {
    return parts(entry.value()).stream().map(part -> entry(entry.value(), part));
  }

  private static ObjectNode entry(JsonNode entry, ClaimPart part) {
    ObjectNode converted = entry.deepCopy();
    converted.put(NAME, part.name(entry.path(NAME).asText()));
    SOURCES
        .keySet()
        .forEach(
            source -> {
              JsonNode name = converted.remove(source);
              if (name != null) {
                converted.withObject("/source").put(source, part.name(name.asText()));
              }
            });
    return converted;
  }

  /** Entries that only get another spelling keep their layout. */
  private void write(ArrayNode converted, List<LocatedValue> entries) {
    TextEdits edits = session.edits(object);
    if (entries.isEmpty()) {
      edits.setField(spec, ENTRIES, converted);
    } else if (converted.size() == entries.size()) {
      entries.forEach(entry -> respell(entry, edits));
    } else {
      edits.replaceValue(spec.field(ENTRIES).orElseThrow(), converted);
    }
  }

  private static void respell(LocatedValue entry, TextEdits edits) {
    SOURCES.keySet().stream()
        .filter(source -> entry.value().has(source))
        .forEach(
            source -> {
              ObjectNode instead = NODES.objectNode();
              instead.putObject("source").set(source, entry.value().get(source));
              edits.replaceField(entry, source, instead);
            });
  }

  private void container(LocatedValue container, DevicePluginPods plugin) {
    JsonNode written = container.value().path(RESOURCES);
    ObjectNode resources = written.isObject() ? written.deepCopy() : NODES.objectNode();
    ArrayNode claims =
        V1Devices.array(
            Streams.stream(written.path(CLAIMS)).flatMap(this::claims).toList(), claim -> claim);
    plugin.namesFor(container).forEach(name -> claims.addObject().put(NAME, name));
    plugin.takeOut(resources);
    if (!claims.isEmpty()) {
      resources.set(CLAIMS, claims);
    }
    write(container, resources);
  }

  private Stream<JsonNode> claims(JsonNode claim) {
    String name = claim.path(NAME).asText();
    String request = claim.path("request").asText();
    return Streams.stream(spec.value().path(ENTRIES))
        .filter(entry -> entry.path(NAME).asText().equals(name))
        .findFirst()
        .map(this::parts)
        .orElse(ImmutableList.of(new ClaimPart("", ImmutableList.of())))
        .stream()
        .filter(part -> request.isEmpty() || part.suffix().isEmpty() || part.has(request))
        .map(part -> NODES.objectNode().put(NAME, part.name(name)));
  }

  private void write(LocatedValue container, ObjectNode resources) {
    Optional<LocatedValue> written = container.field(RESOURCES);
    if (written.isPresent() && !written.get().value().equals(resources)) {
      TextEdits edits = session.edits(object);
      if (resources.isEmpty()) {
        edits.replaceField(container, RESOURCES, resources);
      } else {
        edits.replaceValue(written.get(), resources);
      }
    }
  }
}
