package io.gpudra.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.annotations.SerializedName;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventorySpec;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.NamespaceSelector;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.TolerationSpec;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import io.gpudra.crds.model.node.GpuLink;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The YAML is the source; this walks it beside the records, both ways. */
class SchemaTest {

  private static final Map<Class<?>, String> SCALARS =
      Map.of(
          String.class, "string",
          Integer.class, "integer int32",
          Long.class, "integer int64",
          Boolean.class, "boolean");

  private static final List<String> LINK_TYPES =
      Arrays.stream(GpuLink.Type.values()).map(GpuLink.Type::text).toList();

  static Stream<Arguments> parts() {
    return Stream.of(
        Arguments.of(GpuClaimParameters.PLURAL, "spec", GpuClaimParametersSpec.class),
        Arguments.of(GpuClassParameters.PLURAL, "spec", GpuClassParametersSpec.class),
        Arguments.of(GpuClaimParameters.PLURAL, "status", ParametersStatus.class),
        Arguments.of(GpuClassParameters.PLURAL, "status", ParametersStatus.class),
        Arguments.of(GpuQuota.PLURAL, "spec", GpuQuotaSpec.class),
        Arguments.of(GpuQuota.PLURAL, "status", GpuQuotaStatus.class),
        Arguments.of(NodeInventory.PLURAL, "spec", NodeInventorySpec.class),
        Arguments.of(NodeInventory.PLURAL, "status", NodeInventoryStatus.class));
  }

  @ParameterizedTest
  @MethodSource("parts")
  void recordsAndSchemaSayTheSame(String plural, String part, Class<?> record) {
    assertThat(differences(part, record, CrdYaml.property(plural, part))).isEmpty();
  }

  @Test
  void everyKindHasItsPartsOnly() {
    for (String plural :
        List.of(
            GpuClaimParameters.PLURAL,
            GpuClassParameters.PLURAL,
            GpuQuota.PLURAL,
            NodeInventory.PLURAL)) {
      List<String> parts =
          parts()
              .map(Arguments::get)
              .filter(of -> of[0].equals(plural))
              .map(of -> (String) of[1])
              .toList();

      assertThat(CrdYaml.version(plural).at("/schema/openAPIV3Schema/properties").fieldNames())
          .toIterable()
          .containsAll(parts)
          .containsAll(List.of("apiVersion", "kind", "metadata"))
          .hasSize(parts.size() + 3);
      assertThat(CrdYaml.version(plural).at("/subresources/status").isObject())
          .isEqualTo(parts.contains("status"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GpuClaimParameters.PLURAL,
        GpuClassParameters.PLURAL,
        GpuQuota.PLURAL,
        NodeInventory.PLURAL
      })
  void everyFieldIsExplainedAndEveryListSaysHowItMerges(String plural) {
    List<String> found = new ArrayList<>();
    CrdYaml.walk(
        "",
        CrdYaml.version(plural).at("/schema/openAPIV3Schema"),
        (path, schema) -> {
          if (!path.equals(".metadata") && schema.path("description").asText().isEmpty()) {
            found.add(path + " has no description");
          }
          if (schema.path("type").asText().equals("array")
              && !schema.has("x-kubernetes-list-type")) {
            found.add(path + " has no list type");
          }
        });

    assertThat(found).isEmpty();
  }

  @Test
  void namesAreThoseOfTheRecords() {
    assertThat(names(GpuClaimParameters.PLURAL))
        .containsExactly("Namespaced", GpuClaimParameters.KIND, "gpuclaim", "gpu");
    assertThat(names(GpuClassParameters.PLURAL))
        .containsExactly("Cluster", GpuClassParameters.KIND, "gpuclass", "gpu");
    assertThat(names(GpuQuota.PLURAL)).containsExactly("Namespaced", GpuQuota.KIND, "", "gpu");
    assertThat(names(NodeInventory.PLURAL))
        .containsExactly("Cluster", NodeInventory.KIND, "gpunode", "gpu");
  }

  private static List<String> names(String plural) {
    JsonNode spec = CrdYaml.crd(plural).path("spec");
    assertThat(spec.at("/names/plural").asText()).isEqualTo(plural);
    assertThat(CrdYaml.crd(plural).at("/metadata/name").asText())
        .isEqualTo(plural + "." + spec.path("group").asText());
    return List.of(
        spec.path("scope").asText(),
        spec.at("/names/kind").asText(),
        spec.at("/names/shortNames/0").asText(),
        spec.at("/names/categories/0").asText());
  }

  /** The fields of one request are said three times; people read them where they write them. */
  @ParameterizedTest
  @ValueSource(strings = {"requests", "alternatives"})
  void entriesHaveTheFieldsAndTheRulesOfTheSpec(String list) {
    JsonNode spec = CrdYaml.property(GpuClaimParameters.PLURAL, "spec");
    JsonNode entry = spec.path("properties").path(list).path("items");
    JsonNode rules = spec.path("x-kubernetes-validations");

    assertThat(entry.path("properties").properties())
        .filteredOn(field -> !field.getKey().equals("name"))
        .hasSize(10)
        .allSatisfy(
            field ->
                assertThat(field.getValue())
                    .isEqualTo(spec.path("properties").get(field.getKey())));
    assertThat(entry.path("x-kubernetes-validations"))
        .hasSize(9)
        .allSatisfy(rule -> assertThat(rules).contains(rule));
  }

  /** A field that a later server knows makes an earlier one refuse the whole CRD. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        GpuClaimParameters.PLURAL,
        GpuClassParameters.PLURAL,
        GpuQuota.PLURAL,
        NodeInventory.PLURAL
      })
  void rulesUseOnlyWhatTheOldestServerKnows(String plural) {
    Set<String> keys = new TreeSet<>();
    StringBuilder rules = new StringBuilder();
    CrdYaml.walk(
        plural,
        CrdYaml.version(plural).at("/schema/openAPIV3Schema"),
        (path, schema) ->
            schema
                .path("x-kubernetes-validations")
                .forEach(
                    rule -> {
                      rule.fieldNames().forEachRemaining(keys::add);
                      rules.append(rule.path("rule").asText());
                    }));

    assertThat(keys).isSubsetOf("rule", "message");
    assertThat(rules).doesNotContain("quantity(", "optional", "isSorted", "ip(", "cidr(");
  }

  private static List<String> differences(String path, Type type, JsonNode schema) {
    String said = schemaOf(schema);
    if (type instanceof ParameterizedType list && said.equals("array")) {
      return differences(path + "[]", list.getActualTypeArguments()[0], schema.path("items"));
    }
    if (type instanceof ParameterizedType map && map.getRawType().equals(Map.class)) {
      return differences(
          path + "{}", map.getActualTypeArguments()[1], schema.path("additionalProperties"));
    }
    if (type instanceof Class<?> record && record.isRecord() && said.equals("object")) {
      return components(path, record, schema.path("properties"));
    }
    String expected = type instanceof Class<?> c ? expected(c) : type.getTypeName();
    return expected.equals(said) || restricted(path).contains(said)
        ? List.of()
        : List.of(path + ": record " + expected + ", schema " + said);
  }

  /**
   * Text with few allowed values that stays text in the record, so that any value can be reported.
   */
  private static Set<String> restricted(String path) {
    return switch (path.substring(path.lastIndexOf('.') + 1)) {
      case "type" ->
          Set.of("string " + GpuClassParametersSpec.DeviceSelector.TYPES, "string " + LINK_TYPES);
      case "mode" -> Set.of("string " + DeviceRequest.MODES);
      case "capabilities[]" -> Set.of("string " + DeviceRequest.CAPABILITIES);
      case "strategy" -> Set.of("string " + SharingSpec.STRATEGIES);
      case "interval" -> Set.of("string " + SharingSpec.TimeSlicingConfig.INTERVALS);
      case "topology" -> Set.of("string " + GpuClaimParametersSpec.TOPOLOGIES);
      case "topologyPolicy" -> Set.of("string " + GpuClaimParametersSpec.TOPOLOGY_POLICIES);
      case "forbiddenAttributes[]" -> Set.of("string " + GpuClassParametersSpec.FORBIDDABLE);
      case "sameAttribute[]" -> Set.of("string " + GpuClaimParametersSpec.ATTRIBUTES);
      case "effect" -> Set.of("string " + TolerationSpec.EFFECTS);
      case "operator" ->
          Set.of(
              "string "
                  + (path.startsWith("spec.tolerations")
                      ? TolerationSpec.OPERATORS
                      : NamespaceSelector.Expression.OPERATORS));
      case "name" -> path.startsWith("spec.alternatives") ? Set.of("absent") : Set.of();
      case "heartbeatTime", "orphanedSince", "lastTransitionTime", "timeAdded", "until" ->
          Set.of("string date-time");
      case "summary" -> Set.of("absent"); // Of a class.
      case "gpus", "memory" -> // A number or a text, which JSON libraries read as text.
          path.matches("spec[.]hard[.]gpus|status[.]used[.].*") ? Set.of("absent") : Set.of();
      case "status" -> Set.of("string [True, False, Unknown]");
      default -> Set.of();
    };
  }

  private static List<String> components(String path, Class<?> record, JsonNode properties) {
    List<String> found = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (RecordComponent component : record.getRecordComponents()) {
      names.add(component.getName());
      found.addAll(
          differences(
              path + "." + component.getName(),
              component.getGenericType(),
              properties.path(component.getName())));
    }
    properties
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                found.add(path + "." + name + ": in the schema only");
              }
            });
    return found;
  }

  private static String expected(Class<?> type) {
    return type.isEnum()
        ? "string "
            + Arrays.stream(type.getFields())
                .filter(Field::isEnumConstant)
                .map(SchemaTest::wireName)
                .toList()
        : SCALARS.getOrDefault(type, type.getName());
  }

  private static String wireName(Field constant) {
    String gson = constant.getAnnotation(SerializedName.class).value();
    assertThat(constant.getAnnotation(JsonProperty.class).value()).isEqualTo(gson);
    return gson;
  }

  private static String schemaOf(JsonNode schema) {
    List<String> values = new ArrayList<>();
    schema.path("enum").forEach(value -> values.add(value.asText()));
    String format = schema.path("format").asText("");
    return (schema.path("type").asText("absent") + " " + (values.isEmpty() ? format : values))
        .trim();
  }
}
