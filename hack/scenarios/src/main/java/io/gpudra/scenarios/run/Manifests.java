package io.gpudra.scenarios.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kubernetes objects in YAML. */
public final class Manifests {
  private static final YAMLMapper YAML = new YAMLMapper();

  private Manifests() {}

  /**
   * The objects of a file, in its order.
   *
   * @throws IOException when it cannot be read or holds something else than objects
   */
  public static ImmutableList<ObjectNode> read(Path file) throws IOException {
    return parse(Files.readString(file), file.toString());
  }

  /**
   * The objects of a text.
   *
   * @param origin where it is from, for messages
   */
  public static ImmutableList<ObjectNode> parse(String text, String origin) throws IOException {
    ImmutableList.Builder<ObjectNode> objects = ImmutableList.builder();
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      while (documents.hasNextValue()) {
        JsonNode document = documents.nextValue();
        if (document instanceof ObjectNode object) {
          objects.add(object);
        } else if (document != null && !document.isNull() && !document.isMissingNode()) {
          throw new IOException(origin + ": a document is no object");
        }
      }
    }
    return objects.build();
  }
}
