package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.codes;
import static io.gpudra.scenarios.reference.Markdown.prose;
import static io.gpudra.scenarios.reference.Markdown.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** The fields of a custom resource and the messages of its rules, as its definition has them. */
final class CustomResourcePage {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final String RULES = "x-kubernetes-validations";

  /** Where a field of the same name has the same schema, it is described once. */
  private record Field(String name, boolean required, JsonNode schema) {}

  private final Map<Field, List<String>> paths = new LinkedHashMap<>();
  private final SetMultimap<String, String> messages = LinkedHashMultimap.create();

  private CustomResourcePage() {}

  static String of(Path definition, String intro) throws IOException {
    JsonNode spec = YAML.readTree(definition.toFile()).path("spec");
    JsonNode version = spec.at("/versions/0");
    JsonNode schema = version.at("/schema/openAPIV3Schema");
    CustomResourcePage page = new CustomResourcePage();
    page.object("", schema);
    return Markdown.page(
        spec.at("/names/kind").asText(),
        intro,
        prose(schema.path("description").asText())
            + "\n\n"
            + head(spec, version)
            + "## Fields\n\n"
            + page.fields()
            + "## Rules\n\n"
            + page.rules()
            + "## Columns of `kubectl get`\n\n"
            + columns(version.path("additionalPrinterColumns")));
  }

  private static String head(JsonNode spec, JsonNode version) {
    return table(
        List.of("API version", "scope", "plural", "short name"),
        List.of(
            List.of(
                code(spec.path("group").asText() + "/" + version.path("name").asText()),
                spec.path("scope").asText(),
                code(spec.at("/names/plural").asText()),
                code(spec.at("/names/shortNames/0").asText()))));
  }

  private void object(String path, JsonNode schema) {
    schema
        .path(RULES)
        .forEach(rule -> messages.put(rule.path("message").asText(), path.isEmpty() ? "." : path));
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    schema
        .path("properties")
        .properties()
        .forEach(
            field ->
                field(
                    path.isEmpty() ? field.getKey() : path + "." + field.getKey(),
                    new Field(
                        field.getKey(), required.contains(field.getKey()), field.getValue())));
  }

  private void field(String path, Field field) {
    List<String> known = paths.computeIfAbsent(field, unused -> new ArrayList<>());
    known.add(path);
    if (known.size() == 1) {
      object(path, field.schema());
      Allowed.entry(field.schema()).ifPresent(entry -> object(path + "[]", entry));
    }
  }

  private String fields() {
    return table(
        List.of("field", "type", "default", "allowed", "what it is"),
        paths.entrySet().stream()
            .filter(field -> !field.getKey().schema().path("description").isMissingNode())
            .map(field -> row(field.getKey(), field.getValue()))
            .toList());
  }

  private static List<String> row(Field field, List<String> paths) {
    JsonNode schema = field.schema();
    return List.of(
        code(paths.get(0)),
        Allowed.type(schema),
        field.required() ? "required" : code(schema.path("default").asText()),
        Allowed.values(schema),
        prose(description(schema)) + also(paths.subList(1, paths.size())));
  }

  private static String description(JsonNode schema) {
    return schema.path("description").asText()
        + Allowed.entry(schema).map(entry -> " " + entry.path("description").asText()).orElse("");
  }

  private static String also(List<String> others) {
    return others.isEmpty()
        ? ""
        : " Also in "
            + codes(others.stream().map(path -> path.replaceFirst("[.][^.]*$", "")).toList())
            + ".";
  }

  private String rules() {
    return table(
        List.of("message", "where"),
        messages.asMap().entrySet().stream()
            .map(rule -> List.of(prose(rule.getKey()), codes(rule.getValue())))
            .toList());
  }

  private static String columns(JsonNode columns) {
    return table(
        List.of("column", "wide only", "what it is"),
        StreamSupport.stream(columns.spliterator(), false)
            .map(
                column ->
                    List.of(
                        column.path("name").asText(),
                        column.has("priority") ? "yes" : "",
                        column.path("description").asText(code(column.path("jsonPath").asText()))))
            .toList());
  }
}
