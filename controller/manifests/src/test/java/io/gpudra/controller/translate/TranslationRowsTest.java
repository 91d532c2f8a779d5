package io.gpudra.controller.translate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.translate.TranslationRemark.Direction;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.migrate.ClaimField;
import io.gpudra.controller.translate.migrate.ClassField;
import io.gpudra.controller.translate.migrate.RequestField;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of fields, with a case of each row in {@code rows.yaml}. */
class TranslationRowsTest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  static Stream<JsonNode> cases() throws IOException, URISyntaxException {
    Path file = Path.of(requireNonNull(TranslationRowsTest.class.getResource("rows.yaml")).toURI());
    return Streams.stream(
        YamlDocuments.of(Files.readString(file)).documents().get(0).root().value());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eachCaseHolds(JsonNode row) {
    TranslationResult result =
        MigrationSamples.migrated(
            row.path("driver").asText(MigrationSamples.DRIVER),
            row.path("to").asText("1.36"),
            given(row));

    assertThat(result.problems()).isEmpty();
    assertThat(remarks(result, row)).isEqualTo(texts(row.path("remarks")));
    assertThat(result.gates()).containsExactlyElementsOf(texts(row.path("gates")));
    String text = requireNonNull(result.files().get(MigrationSamples.FILE));
    if (row.has("becomes")) {
      assertThat(text).isEqualTo(row.get("becomes").asText());
    }
    if (row.has("refused")) {
      assertThat(text).contains("# not translated: " + row.get("refused").asText() + "\n");
    }
    compareParts(text, row);
  }

  private static void compareParts(String text, JsonNode row) {
    String driver = row.path("driver").asText(MigrationSamples.DRIVER);
    compare(row, "devices", compact(claim(text).at("/devices"), driver));
    JsonNode ofClass = object(text, "DeviceClass").path("spec");
    compare(row, "selectors", compact(ofClass.path("selectors"), driver));
    compare(row, "config", ofClass.path("config"));
    compare(row, "policies", policies(text));
    compare(
        row,
        "rule",
        object(text, "ValidatingAdmissionPolicy").at("/spec/validations/0/expression"));
    compare(
        row,
        "label",
        object(text, "Namespace").at("/metadata/labels/resource.kubernetes.io~1admin-access"));
  }

  private static void compare(JsonNode row, String part, JsonNode actual) {
    if (row.has(part)) {
      assertThat(actual).isEqualTo(row.get(part));
    }
  }

  @Test
  void everyRowHasACase() throws IOException, URISyntaxException {
    ImmutableSet<String> tested =
        cases().map(row -> row.get("row").asText()).collect(ImmutableSet.toImmutableSet());

    assertThat(rows().filter(row -> row.text().direction() != Direction.CONVERT).map(Row::name))
        .isSubsetOf(tested);
  }

  private static Stream<Row> rows() {
    return Stream.of(RequestField.values(), ClaimField.values(), ClassField.values())
        .flatMap(Stream::of);
  }

  private static String given(JsonNode row) {
    if (row.has("given")) {
      return row.get("given").asText();
    }
    StringBuilder text = new StringBuilder();
    if (row.has("namespace")) {
      text.append(MigrationSamples.object("v1", "Namespace", "n", row.get("namespace")));
    }
    text.append(MigrationSamples.resourceClass(row.path("class")));
    if (row.has("parameters")) {
      text.append(
          MigrationSamples.claim(
              row.path("kind").asText("ResourceClaimTemplate"),
              (ObjectNode) row.get("parameters"),
              row.path("claim")));
    }
    return text.toString();
  }

  private static ImmutableList<String> remarks(TranslationResult result, JsonNode row) {
    return result.remarks().stream()
        .filter(remark -> row.has("all") || remark.row() != ClaimField.PARAMETERS_REF)
        .map(
            remark ->
                "%s: %s at %s"
                    .formatted(remark.weight().text(), remark.row().name(), remark.path()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> texts(JsonNode list) {
    return Streams.stream(list).map(JsonNode::asText).collect(ImmutableList.toImmutableList());
  }

  private static JsonNode claim(String text) {
    JsonNode template = object(text, "ResourceClaimTemplate").at("/spec/spec");
    return template.isMissingNode() ? object(text, "ResourceClaim").path("spec") : template;
  }

  private static JsonNode object(String text, String kind) {
    return objects(text)
        .filter(object -> object.path("kind").asText().equals(kind))
        .findFirst()
        .orElseGet(NODES::missingNode);
  }

  private static Stream<JsonNode> objects(String text) {
    return YamlDocuments.of(text).documents().stream().map(document -> document.root().value());
  }

  /** Kind and name of each policy and binding, with the condition on namespaces. */
  private static ArrayNode policies(String text) {
    ArrayNode all = NODES.arrayNode();
    objects(text)
        .filter(object -> object.path("kind").asText().startsWith("ValidatingAdmissionPolicy"))
        .map(TranslationRowsTest::policy)
        .forEach(all::add);
    return all;
  }

  private static String policy(JsonNode object) {
    JsonNode term = object.at("/spec/matchResources/namespaceSelector/matchExpressions/0");
    return "%s %s %s"
        .formatted(
            object.path("kind").asText(),
            object.at("/metadata/name").asText(),
            term.isMissingNode() ? "" : term)
        .strip();
  }

  /** Without the class, with each selector as its condition and the driver as a sign. */
  private static JsonNode compact(JsonNode node, String driver) {
    if (node.has("cel")) {
      return NODES.textNode(
          node.at("/cel/expression")
              .asText()
              .replace("device.attributes[\"%s\"].".formatted(driver), "@")
              .replace("device.capacity[\"%s\"].".formatted(driver), "#"));
    }
    if (node.isArray()) {
      return V1Devices.array(ImmutableList.copyOf(node), item -> compact(item, driver));
    }
    ObjectNode compact = NODES.objectNode();
    node.properties().stream()
        .filter(field -> !field.getKey().equals("deviceClassName"))
        .forEach(field -> compact.set(field.getKey(), compact(field.getValue(), driver)));
    return node.isObject() ? compact : node;
  }
}
