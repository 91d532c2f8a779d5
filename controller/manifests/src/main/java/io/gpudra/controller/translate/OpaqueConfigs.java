package io.gpudra.controller.translate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.parameters.SharingSpec;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How clients share devices, as the opaque parameters of three drivers say it: of this one, of the
 * example driver of Kubernetes, and of NVIDIA's. Their fields have the same names.
 *
 * @param driver the name of this driver, which is the group of its parameters
 */
public record OpaqueConfigs(String driver) {

  private static final String KIND = "GpuConfig";
  private static final ImmutableSet<String> KINDS = ImmutableSet.of(KIND, "MigDeviceConfig");
  private static final ImmutableSet<String> GROUPS =
      ImmutableSet.of("gpu.resource.example.com", "resource.nvidia.com");
  private static final ImmutableSet<String> TYPE = ImmutableSet.of("apiVersion", "kind");
  private static final String SHARING = "sharing";

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /**
   * What is read of parameters.
   *
   * @param unread paths of the fields that have no equal here; the empty path is the whole object
   */
  public record Settings(Optional<SharingSpec> sharing, ImmutableList<String> unread) {

    private static final Settings NONE = new Settings(Optional.empty(), ImmutableList.of(""));
  }

  /** The parameters for devices of this driver. */
  public ObjectNode write(SharingSpec sharing) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("apiVersion", driver + "/v1").put("kind", KIND);
    return json.set(SHARING, fields(sharing));
  }

  /** The fields that are set. */
  public static JsonNode fields(SharingSpec sharing) {
    return JSON.valueToTree(sharing);
  }

  /** The settings in parameters of one of the three drivers. */
  public Settings read(JsonNode parameters) {
    return isKnown(parameters) ? settings(parameters) : Settings.NONE;
  }

  private boolean isKnown(JsonNode parameters) {
    String group = parameters.path("apiVersion").asText().replaceFirst("/.*", "");
    return KINDS.contains(parameters.path("kind").asText())
        && (group.equals(driver) || GROUPS.contains(group));
  }

  private static Settings settings(JsonNode parameters) {
    try {
      Optional<SharingSpec> sharing =
          Optional.ofNullable(JSON.convertValue(parameters.get(SHARING), SharingSpec.class));
      ObjectNode read = JSON.createObjectNode();
      sharing.ifPresent(known -> read.set(SHARING, fields(known)));
      return new Settings(sharing, unread(parameters, read));
    } catch (IllegalArgumentException e) {
      return new Settings(Optional.empty(), ImmutableList.of(SHARING));
    }
  }

  private static ImmutableList<String> unread(JsonNode given, JsonNode read) {
    return missing("", given, read).filter(path -> !TYPE.contains(path)).collect(toImmutableList());
  }

  /** The paths of values that another value lacks. */
  static Stream<String> missing(String path, JsonNode given, JsonNode read) {
    if (read.isMissingNode()) {
      return given.isNull() ? Stream.empty() : Stream.of(path);
    }
    Stream<String> fields =
        given.properties().stream()
            .flatMap(
                field ->
                    missing(
                        path.isEmpty() ? field.getKey() : path + "." + field.getKey(),
                        field.getValue(),
                        read.path(field.getKey())));
    Stream<String> items =
        given.isArray()
            ? IntStream.range(0, given.size())
                .boxed()
                .flatMap(i -> missing("%s[%d]".formatted(path, i), given.get(i), read.path(i)))
            : Stream.empty();
    return Stream.concat(fields, items);
  }
}
