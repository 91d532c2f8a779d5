package io.gpudra.controller.translate.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Migrates pods, and the templates of pods.
 *
 * @param spec the spec of the pods
 * @param path its path
 */
record PodTranslation(
    SourceObject object, LocatedValue spec, String path, TranslationSession session) {
  private static final int MAX_TERMS = 64;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String TERMS = "nodeSelectorTerms";

  /** Migrates an object with pods; others stay. */
  static void migrate(SourceObject object, TranslationSession session) {
    String path = LintKind.of(object.apiVersion(), object.kind()).map(LintKind::podSpec).orElse("");
    object
        .at(path)
        .map(spec -> new PodTranslation(object, spec, path, session))
        .ifPresent(PodTranslation::migrate);
  }

  private void migrate() {
    List<LocatedValue> entries = entries();
    entries.forEach(this::liftSource);
    if (!entries.isEmpty()) {
      addAffinity(entries);
    }
    removeGate();
    remarkLabels();
  }

  /** The entries of {@code resourceClaims} in the old spelling. */
  private List<LocatedValue> entries() {
    return spec.field("resourceClaims").stream()
        .flatMap(list -> list.items().stream())
        .filter(entry -> !entry.value().path("source").isEmpty())
        .toList();
  }

  private void liftSource(LocatedValue entry) {
    ObjectNode source = (ObjectNode) entry.value().path("source");
    session.edits(object).replaceField(entry, "source", source);
  }

  /** The gate of the driver is removed by its controller, which is no longer there. */
  private void removeGate() {
    String gate = session.options().driver() + "/granted";
    Optional<LocatedValue> gates = spec.field("schedulingGates");
    List<LocatedValue> all = gates.map(LocatedValue::items).orElse(ImmutableList.of());
    IntStream.range(0, all.size())
        .filter(index -> all.get(index).value().path("name").asText().equals(gate))
        .findFirst()
        .ifPresent(index -> removeGate(gates.orElseThrow(), index));
  }

  private void removeGate(LocatedValue gates, int index) {
    session.remark(object, path + ".schedulingGates", ClassField.GRANTED_GATE);
    TextEdits edits = session.edits(object);
    if (gates.items().size() == 1) {
      edits.replaceField(spec, "schedulingGates", NODES.objectNode());
    } else {
      edits.replaceItem(gates, index, NODES.arrayNode());
    }
  }

  private void remarkLabels() {
    String metadata = path.equals("spec") ? "metadata" : path.replaceFirst("spec$", "metadata");
    Stream.of("group", "group-size")
        .map(name -> session.options().driver() + "/" + name)
        .filter(label -> object.at(metadata).stream().anyMatch(one -> hasLabel(one.value(), label)))
        .findFirst()
        .ifPresent(
            label ->
                session.remark(object, metadata + ".labels." + label, ClassField.GROUP_LABELS));
  }

  private static boolean hasLabel(JsonNode metadata, String label) {
    return metadata.path("labels").has(label);
  }

  private void addAffinity(List<LocatedValue> entries) {
    ArrayNode own =
        NODES.arrayNode().addAll(array(affinity().path("nodeAffinity").path(REQUIRED).path(TERMS)));
    ArrayNode terms = own;
    for (SourceObject claim : claims(entries)) {
      for (ArrayNode more : conditions(claim)) {
        terms = terms.size() > MAX_TERMS ? terms : product(terms, more);
      }
    }
    if (terms.size() > MAX_TERMS) {
      session.remark(object, path, ClassField.AFFINITY_LIMIT, terms.size());
    } else if (!terms.equals(own)) {
      write(terms);
    }
  }

  private JsonNode affinity() {
    return spec.value().path("affinity");
  }

  private void write(ArrayNode terms) {
    ObjectNode affinity = affinity().isObject() ? affinity().deepCopy() : NODES.objectNode();
    affinity.withObject("/nodeAffinity").withObject("/" + REQUIRED).set(TERMS, terms);
    session.edits(object).setField(spec, "affinity", affinity);
  }

  /** The claims of the entries, and the templates, that are translated. */
  private ImmutableList<SourceObject> claims(List<LocatedValue> entries) {
    return entries.stream()
        .map(entry -> entry.value().path("source"))
        .flatMap(
            source ->
                Stream.concat(
                    named("ResourceClaim", source.path("resourceClaimName").asText()),
                    named(
                        "ResourceClaimTemplate",
                        source.path("resourceClaimTemplateName").asText())))
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }

  private Stream<SourceObject> named(String kind, String name) {
    return session
        .objects()
        .find("resource.k8s.io/" + kind, object.namespace(), name, object.source())
        .stream();
  }

  /** What nodes have to satisfy: lists of terms, of which each list has one that holds. */
  private ImmutableList<ArrayNode> conditions(SourceObject claim) {
    Stream<ArrayNode> suitable =
        ClaimMigration.ofClass(claim, session).stream()
            .filter(ofClass -> ClassTranslation.isOurs(ofClass, session))
            .map(ofClass -> ofClass.json().path("suitableNodes").path(TERMS))
            .filter(terms -> !terms.isEmpty())
            .map(PodTranslation::array);
    Stream<ArrayNode> named =
        ClaimMigration.outcome(claim, session).translated().stream()
            .flatMap(context -> context.nodes().stream())
            .map(PodTranslation::terms);
    return Stream.concat(suitable, named).distinct().collect(ImmutableList.toImmutableList());
  }

  private static ArrayNode array(JsonNode list) {
    return V1Devices.array(Streams.stream(list).toList(), term -> term);
  }

  /** A field selector takes one name, so each node has a term of its own. */
  private static ArrayNode terms(ImmutableSet<String> nodes) {
    return V1Devices.array(
        nodes.asList(),
        node -> {
          ObjectNode term = NODES.objectNode();
          ObjectNode field = term.putArray("matchFields").addObject();
          field.put("key", "metadata.name").put("operator", "In").putArray("values").add(node);
          return term;
        });
  }

  private static ArrayNode product(ArrayNode some, ArrayNode others) {
    if (some.isEmpty()) {
      return others;
    }
    ArrayNode all = NODES.arrayNode();
    some.forEach(one -> others.forEach(other -> all.add(both(one, other))));
    return all;
  }

  private static ObjectNode both(JsonNode one, JsonNode other) {
    ObjectNode both = NODES.objectNode();
    for (String field : List.of("matchExpressions", "matchFields")) {
      ArrayNode all = NODES.arrayNode().addAll(array(one.path(field)));
      other.path(field).forEach(more -> addNew(all, more));
      if (!all.isEmpty()) {
        both.set(field, all);
      }
    }
    return both;
  }

  private static void addNew(ArrayNode all, JsonNode more) {
    if (Streams.stream(all).noneMatch(more::equals)) {
      all.add(more);
    }
  }
}
