package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.ByteStreams;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.lint.yaml.YamlDocuments.ParseProblem;
import io.gpudra.controller.manifest.ManifestDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Reads the objects of {@code -f}: a file of YAML or JSON with any number of documents, a directory
 * of such files, or standard input. The size of a file is limited.
 */
final class ManifestFiles {
  private static final String STANDARD_INPUT = "-";
  private static final ImmutableSet<String> SUFFIXES = ImmutableSet.of(".yaml", ".yml", ".json");
  private static final int MAX_BYTES = 3 << 20;
  private static final int MAX_OBJECTS = 1_000;

  /** Limit of the files, and of their JSON, in which aliases are expanded. */
  private static final long MAX_BYTES_TOGETHER = 64L << 20;

  private final InputStream input;
  private final ImmutableList.Builder<ManifestDocument> documents = ImmutableList.builder();
  private int objects;
  private long bytes;

  private ManifestFiles(InputStream input) {
    this.input = input;
  }

  /**
   * Reads the files in the given order, those of a directory by name.
   *
   * @param input for {@code -}
   * @throws IOException when a file cannot be read; the message names it
   */
  static ImmutableList<ManifestDocument> read(Iterable<String> names, InputStream input)
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
    byte[] all = ByteStreams.limit(text, MAX_BYTES + 1).readAllBytes();
    if (all.length > MAX_BYTES) {
      throw new IOException(name + ": more than 3 MiB");
    }
    spend(name, all.length);
    YamlDocuments read = YamlDocuments.of(new String(all, StandardCharsets.UTF_8));
    refuse(name, read.broken());
    int number = 0;
    for (YamlDocuments.Document document : read.documents()) {
      number++;
      refuse(name, document.doubles());
      add(name + ", document " + number, document.root().value());
    }
  }

  private static void refuse(String name, ImmutableList<ParseProblem> troubles) throws IOException {
    if (!troubles.isEmpty()) {
      ParseProblem first = troubles.get(0);
      throw new IOException(
          "%s, line %d: %s".formatted(name, first.textPosition().line(), first.text()));
    }
  }

  private void add(String where, JsonNode value) throws IOException {
    if (value.isNull()) {
      return;
    }
    objects++;
    if (objects > MAX_OBJECTS) {
      throw new IOException("%s: more than %d objects in all".formatted(where, MAX_OBJECTS));
    }
    String json = value.toString();
    spend(where, json.length());
    documents.add(new ManifestDocument(where, json));
  }

  private void spend(String where, int size) throws IOException {
    bytes += size;
    if (bytes > MAX_BYTES_TOGETHER) {
      throw new IOException(where + ": more than 64 MiB in all");
    }
  }
}
