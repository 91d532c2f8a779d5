package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.ByteStreams;
import io.gpudra.controller.kube.manifest.Document;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Objects of files as users name them with {@code -f}: a file of YAML or JSON with any number of
 * documents, a directory of such files, or standard input. What a file may cost has bounds.
 */
final class ManifestFiles {
  private static final String STANDARD_INPUT = "-";
  private static final ImmutableSet<String> SUFFIXES = ImmutableSet.of(".yaml", ".yml", ".json");
  private static final int MOST_BYTES = 3 << 20;
  private static final int MOST_OBJECTS = 1_000;

  /** Of all documents of a file; aliases count as what they stand for. */
  private static final int MOST_VALUES = 500_000;

  private static final int DEEPEST = 100;

  private final InputStream input;
  private final ImmutableList.Builder<Document> documents = ImmutableList.builder();
  private int objects;
  private int values;

  private ManifestFiles(InputStream input) {
    this.input = input;
  }

  /**
   * Reads them in the order in which they are named, those of a directory by name.
   *
   * @param input for {@code -}
   * @throws IOException when something cannot be read; names it
   */
  static ImmutableList<Document> read(Iterable<String> names, InputStream input)
      throws IOException {
    ManifestFiles files = new ManifestFiles(input);
    for (String name : names) {
      files.read(name);
    }
    return files.documents.build();
  }

  private void read(String name) throws IOException {
    if (name.equals(STANDARD_INPUT)) {
      add("standard input", input);
    } else if (Files.isDirectory(Path.of(name))) {
      for (Path file : files(Path.of(name))) {
        add(file);
      }
    } else {
      add(Path.of(name));
    }
  }

  private static ImmutableList<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> SUFFIXES.stream().anyMatch(file.toString()::endsWith))
          .sorted()
          .collect(ImmutableList.toImmutableList());
    }
  }

  private void add(Path file) throws IOException {
    try (InputStream text = Files.newInputStream(file)) {
      add(file.toString(), text);
    }
  }

  private void add(String name, InputStream text) throws IOException {
    byte[] bytes = ByteStreams.limit(text, MOST_BYTES + 1).readAllBytes();
    if (bytes.length > MOST_BYTES) {
      throw new IOException(name + ": more than 3 MiB");
    }
    int number = 0;
    values = 0;
    try {
      for (Object value : yaml().loadAll(new String(bytes, StandardCharsets.UTF_8))) {
        number++;
        if (value != null) {
          add(name + ", document " + number, value);
        }
      }
    } catch (YAMLException e) {
      throw new IOException("%s, document %d: %s".formatted(name, number + 1, e.getMessage()), e);
    }
  }

  private void add(String where, Object value) throws IOException {
    objects++;
    if (objects > MOST_OBJECTS) {
      throw new IOException("%s: more than %d objects in all".formatted(where, MOST_OBJECTS));
    }
    documents.add(new Document(where, json(where, value, 0).toString()));
  }

  private static Yaml yaml() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MOST_BYTES);
    options.setNestingDepthLimit(DEEPEST);
    options.setAllowDuplicateKeys(false);
    DumperOptions unused = new DumperOptions();
    return new Yaml(new TimesAsText(options), new Representer(unused), unused, options);
  }

  /** JSON knows no times. */
  private static final class TimesAsText extends SafeConstructor {
    TimesAsText(LoaderOptions options) {
      super(options);
      yamlConstructors.put(Tag.TIMESTAMP, new ConstructYamlStr());
    }
  }

  private JsonNode json(String where, @Nullable Object value, int depth) throws IOException {
    values++;
    if (values > MOST_VALUES || depth > DEEPEST) {
      throw new IOException(where + ": too many values; aliases count as what they stand for");
    }
    JsonNodeFactory make = JsonNodeFactory.instance;
    if (value instanceof Map<?, ?> map) {
      ObjectNode object = make.objectNode();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        object.set(String.valueOf(entry.getKey()), json(where, entry.getValue(), depth + 1));
      }
      return object;
    }
    if (value instanceof Iterable<?> list) {
      ArrayNode array = make.arrayNode();
      for (Object element : list) {
        array.add(json(where, element, depth + 1));
      }
      return array;
    }
    return scalar(value);
  }

  private static JsonNode scalar(@Nullable Object value) {
    JsonNodeFactory make = JsonNodeFactory.instance;
    if (value == null) {
      return make.nullNode();
    }
    if (value instanceof Boolean yes) {
      return make.booleanNode(yes);
    }
    if (value instanceof BigInteger big) {
      return make.numberNode(big);
    }
    if (value instanceof Integer || value instanceof Long) {
      return make.numberNode(((Number) value).longValue());
    }
    return value instanceof Double number && Double.isFinite(number)
        ? make.numberNode(BigDecimal.valueOf(number))
        : make.textNode(String.valueOf(value));
  }
}
