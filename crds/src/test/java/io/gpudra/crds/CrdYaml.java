package io.gpudra.crds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/** The CRDs as they lie in the jar. */
public final class CrdYaml {

  private CrdYaml() {}

  static JsonNode crd(String plural) {
    try {
      return new YAMLMapper()
          .readTree(
              Resources.toString(
                  Resources.getResource("io/gpudra/crds/" + plural + ".yaml"),
                  StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode version(String plural) {
    return crd(plural).at("/spec/versions/0");
  }

  /** Of the object, such as its spec. */
  public static JsonNode property(String plural, String name) {
    return version(plural).at("/schema/openAPIV3Schema/properties").path(name);
  }

  /** Visits a schema and every schema below it with its path. */
  public static void walk(String path, JsonNode schema, BiConsumer<String, JsonNode> visitor) {
    visitor.accept(path, schema);
    schema
        .path("properties")
        .forEachEntry((name, property) -> walk(path + "." + name, property, visitor));
    if (schema.has("items")) {
      walk(path + "[]", schema.path("items"), visitor);
    }
    if (schema.has("additionalProperties")) {
      walk(path + "{}", schema.path("additionalProperties"), visitor);
    }
  }
}
