package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The values of the Helm chart, as their schema describes them, and what they are by default. */
final class ChartValuesPage {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final int LONGEST_DEFAULT = 60;

  private final JsonNode defaults;

  /** By dotted name. */
  private final SortedMap<String, JsonNode> values = new TreeMap<>();

  private ChartValuesPage(Path chart) throws IOException {
    defaults = YAML.readTree(chart.resolve("values.yaml").toFile());
    collect("", YAML.readTree(chart.resolve("values.schema.json").toFile()));
  }

  static String of(Path chart, String intro, String introOfAliases) throws IOException {
    ChartValuesPage page = new ChartValuesPage(chart);
    return Markdown.page(
        "Values of the Helm chart",
        intro,
        page.own() + "## Values of NVIDIA's chart\n\n" + introOfAliases + "\n" + page.aliases());
  }

  private void collect(String prefix, JsonNode schema) {
    schema
        .path("properties")
        .properties()
        .forEach(
            value -> {
              String name = prefix + value.getKey();
              if (!value.getValue().has("properties") && value.getValue().has("description")) {
                values.put(name, value.getValue());
              }
              collect(name + ".", value.getValue());
            });
  }

  private String own() {
    return table(
        List.of("value", "type", "default", "allowed", "what it is"),
        rows(
            schema -> !schema.has("alias"),
            (name, schema) ->
                List.of(
                    code(name),
                    Allowed.type(schema),
                    defaultOf(name),
                    Allowed.values(schema),
                    schema.path("description").asText())));
  }

  private String aliases() {
    return table(
        List.of("value of NVIDIA's chart", "value here", "what it says"),
        rows(
            schema -> schema.has("alias"),
            (name, schema) ->
                List.of(
                    code(name),
                    code(schema.path("alias").asText()),
                    schema.path("description").asText())));
  }

  private interface Row {
    List<String> of(String name, JsonNode schema);
  }

  private List<List<String>> rows(Predicate<JsonNode> which, Row row) {
    return values.entrySet().stream()
        .filter(value -> which.test(value.getValue()))
        .map(value -> row.of(value.getKey(), value.getValue()))
        .toList();
  }

  private String defaultOf(String name) {
    String text = defaults.at("/" + name.replace('.', '/')).toString();
    return text.length() > LONGEST_DEFAULT ? "as in `values.yaml`" : code(text);
  }
}
