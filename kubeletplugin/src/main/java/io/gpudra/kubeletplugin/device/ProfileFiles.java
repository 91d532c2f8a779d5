package io.gpudra.kubeletplugin.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Reads profiles from the class path and custom profiles from files. */
final class ProfileFiles {

  /** The profiles that are shipped. */
  static final ImmutableList<String> NAMES =
      ImmutableList.of(
          "latest",
          "a100",
          "h100",
          "t4",
          "mixed",
          "a100-40",
          "a100-broken-link",
          "b200",
          "dgx1",
          "h200",
          "l40s");

  private static final String PRODUCTS = "products";

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ProfileFiles() {}

  static FakeNodeProfile shipped(String name) {
    return profile("profile " + name, resource(name));
  }

  /**
   * A custom profile.
   *
   * @throws IllegalArgumentException naming the file, the path in it and the allowed values
   */
  static FakeNodeProfile read(String file) {
    try {
      return profile("profile " + file, Files.readString(Path.of(file)));
    } catch (IOException e) {
      throw new IllegalArgumentException("profile %s cannot be read: %s".formatted(file, e), e);
    }
  }

  private static String resource(String name) {
    try {
      return Resources.toString(
          Resources.getResource(ProfileFiles.class, "profiles/" + name + ".yaml"), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FakeNodeProfile profile(String whose, String yaml) {
    try {
      return new ProfileReader(parsed(resource(PRODUCTS)), parsed(yaml)).profile();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(whose + ": " + problem(e), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(whose + ": " + e.getMessage(), e);
    }
  }

  private static ProfileFile parsed(String yaml) throws JsonProcessingException {
    ProfileFile file = YAML.readValue(yaml, ProfileFile.class);
    if (file == null) {
      throw new IllegalArgumentException("gpus: Required value");
    }
    return file;
  }

  private static String problem(JsonProcessingException e) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "%s: unknown field; known: %s"
          .formatted(
              path(unknown),
              unknown.getKnownPropertyIds().stream()
                  .map(String::valueOf)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    if (!(e instanceof JsonMappingException mapping) || mapping.getPath().isEmpty()) {
      return "no YAML: " + e.getOriginalMessage();
    }
    return path(mapping)
        + ": "
        + (e instanceof MismatchedInputException ? "wrong type" : e.getOriginalMessage());
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.toString();
  }
}
