package io.gpudra.controller.translate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Texts of the examples and of the cases of rows, of which one value is of another type. */
final class StrangeObjects {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Path ROWS =
      Path.of("src/test/resources/io/gpudra/controller/translate/rows-convert.yaml");
  private static final Path EXAMPLES = Path.of("../../manifests/examples");

  /** Values of every type. */
  private static final List<JsonNode> STRANGE =
      List.of(
          NODES.nullNode(),
          NODES.arrayNode(),
          NODES.objectNode(),
          NODES.arrayNode().addNull(),
          NODES.arrayNode().add("a"),
          NODES.objectNode().put("a", "b"),
          NODES.objectNode().putNull("name"),
          NODES.textNode(""),
          NODES.textNode("a.b/c"),
          NODES.textNode("%s%d {{"),
          NODES.textNode("x".repeat(300)),
          NODES.numberNode(-1),
          NODES.numberNode(1e99),
          NODES.booleanNode(true));

  private StrangeObjects() {}

  static Arbitrary<String> all() {
    return Combinators.combine(
            Arbitraries.of(texts()),
            Arbitraries.integers().between(0, 10_000),
            Arbitraries.of(STRANGE))
        .as(StrangeObjects::changed);
  }

  private static List<String> texts() {
    try (Stream<Path> examples = Files.list(EXAMPLES)) {
      Stream<String> cases =
          YamlDocuments.of(Files.readString(ROWS)).documents().get(0).root().items().stream()
              .map(row -> row.value().path("given").asText());
      return Stream.concat(
              cases,
              examples
                  .filter(file -> file.toString().endsWith(".yaml"))
                  .filter(file -> !file.toString().endsWith(".expect.yaml"))
                  .sorted()
                  .map(StrangeObjects::read))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String changed(String text, int place, JsonNode value) {
    List<JsonNode> roots = new ArrayList<>();
    List<Runnable> changes = new ArrayList<>();
    YamlDocuments.of(text).documents().stream()
        .map(document -> document.root().value().<JsonNode>deepCopy())
        .forEach(
            root -> {
              roots.add(root);
              collect(root, value, changes);
            });
    if (!changes.isEmpty()) {
      changes.get(place % changes.size()).run();
    }
    return roots.stream()
        .map(root -> YamlPrinter.block(root, 0))
        .collect(Collectors.joining("\n---\n"));
  }

  private static void collect(JsonNode node, JsonNode value, List<Runnable> changes) {
    if (node instanceof ObjectNode object) {
      object
          .properties()
          .forEach(
              field -> {
                changes.add(() -> object.set(field.getKey(), value));
                collect(field.getValue(), value, changes);
              });
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        int index = i;
        changes.add(() -> array.set(index, value));
        collect(array.get(i), value, changes);
      }
    }
  }
}
