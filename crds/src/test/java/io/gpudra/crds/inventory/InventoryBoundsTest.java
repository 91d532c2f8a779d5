package io.gpudra.crds.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import com.google.gson.Gson;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a node says is data of a stranger: beyond all hardware, none of it is used. */
class InventoryBoundsTest {

  private static final String DRIVER = "gpu.resource.example.com";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final NodeState NODE = NodeFixture.ready("evil");

  /** What is not exactly one of a few is nothing. */
  private static final Set<String> NEVER_READ =
      Set.of("status.driverName", "status.devices[0].mig");

  private final Gson gson = new Gson();

  private Reading read(String object) {
    return InventoryCodec.read(gson.fromJson(object, NodeInventory.class), NODE, DRIVER);
  }

  private static String problem(Reading reading) {
    return reading.inventory().service() instanceof Service.Implausible implausible
        ? implausible.problem()
        : reading.inventory().service().toString();
  }

  /** Of every limit of the schema a value that is beyond it by one, as its path and the object. */
  static Stream<Arguments> beyond() throws IOException {
    JsonNode schema =
        new YAMLMapper()
            .readTree(
                Resources.toByteArray(Resources.getResource("io/gpudra/crds/nodeinventories.yaml")))
            .at("/spec/versions/0/schema/openAPIV3Schema/properties");
    List<Arguments> all = new ArrayList<>();
    for (String part : List.of("spec", "status")) {
      collect(List.of(part), schema.path(part), all);
    }
    return all.stream();
  }

  private static void collect(List<String> path, JsonNode schema, List<Arguments> all) {
    if (NEVER_READ.contains(path(path))) {
      return;
    }
    beyond(schema).ifPresent(value -> all.add(Arguments.of(path(path), object(path, value))));
    schema
        .path("properties")
        .forEachEntry((name, property) -> collect(and(path, name), property, all));
    if (schema.has("items")) {
      collect(and(path, "[0]"), schema.path("items"), all);
    }
    if (schema.has("additionalProperties")) {
      collect(and(path, "x"), schema.path("additionalProperties"), all);
    }
  }

  private static Optional<JsonNode> beyond(JsonNode schema) {
    boolean chosen = schema.has("enum") || schema.path("format").asText().equals("date-time");
    return switch (schema.path("type").asText()) {
      case "string" ->
          Optional.of(
              JSON.textNode("x".repeat(chosen ? 65 : schema.path("maxLength").asInt() + 1)));
      case "integer" -> Optional.of(JSON.numberNode(schema.path("maximum").asLong() + 1));
      case "array" -> {
        ArrayNode list = JSON.arrayNode();
        for (int i = 0; i <= schema.path("maxItems").asInt(); i++) {
          list.addNull();
        }
        yield Optional.of(list);
      }
      case "object" ->
          schema.has("additionalProperties")
              ? Optional.of(entries(schema.path("maxProperties").asInt() + 1))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  private static ObjectNode entries(int count) {
    ObjectNode map = JSON.objectNode();
    for (int i = 0; i < count; i++) {
      map.put("x" + i, "");
    }
    return map;
  }

  private static List<String> and(List<String> path, String name) {
    return Stream.concat(path.stream(), Stream.of(name)).toList();
  }

  private static String path(List<String> path) {
    return String.join(".", path).replace(".[", "[");
  }

  private static String object(List<String> path, JsonNode value) {
    JsonNode node = value;
    for (int i = path.size() - 1; i >= 0; i--) {
      node =
          path.get(i).equals("[0]")
              ? JSON.arrayNode().add(node)
              : JSON.objectNode().set(path.get(i), node);
    }
    ObjectNode object = (ObjectNode) node;
    object.withObjectProperty("status").put("driverName", DRIVER);
    return object.toString();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("beyond")
  void whatTheSchemaForbidsMakesTheNodeImplausibleAndIsNamed(String path, String object) {
    Reading reading = read(object);

    assertThat(problem(reading)).startsWith(path + ": ");
    assertThat(reading.problems()).contains(problem(reading));
  }

  @Test
  void everyNumberTextAndListOfTheSchemaHasALimit() throws IOException {
    assertThat(beyond().map(one -> one.get()[1].toString()))
        .hasSizeGreaterThan(90)
        .noneMatch(object -> object.matches(".*(:\\[null]|:1[,}]|:\"x\"|:\\{\"x0\":\"\"}).*"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "9223372036854775807 | status.devices[0].memory: Invalid value: 9223372036854775807: status.devices[0].memory in body should be less than or equal to 1125899906842624",
        "1125899906842625 | status.devices[0].memory: Invalid value: 1125899906842625: status.devices[0].memory in body should be less than or equal to 1125899906842624",
        "1125899906842624 | Serving[]",
      })
  void memoryThatNoGpuHasIsNotBelieved(long bytes, String problem) {
    assertThat(problem(read(node("[]", "[]", bytes)))).isEqualTo(problem);
  }

  private static String node(String profiles, String prepared, long memory) {
    return """
        {"status":{"driverName":"%s","conditions":[{"type":"Ready","status":"True"}],
         "models":[{"name":"M","migProfiles":%s}],"preparedClaims":%s,
         "devices":[{"name":"gpu-0","uuid":"GPU-0","index":0,"model":"M","memory":%d,"mig":"Enabled"}]}}
        """
        .formatted(DRIVER, profiles, prepared, memory);
  }

  /** Each within its bounds. */
  @Test
  void profilesThatTogetherAreMoreThanAnyGpuIsCutIntoAreNotBelieved() {
    String profiles = profiles(9, 16);

    assertThat(problem(read(node(profiles, "[]", 1))))
        .isEqualTo(
            "status.models[0].migProfiles: Too many: 144 starts of all profiles: must be at most"
                + " 128");
    assertThat(problem(read(node(profiles(8, 16), "[]", 1)))).isEqualTo("Serving[]");
  }

  private static String profiles(int kinds, int starts) {
    List<Integer> all = Stream.iterate(0, i -> i + 1).limit(starts).toList();
    ArrayNode profiles = JSON.arrayNode();
    for (int kind = 0; kind < kinds; kind++) {
      profiles
          .addObject()
          .put("profile", "1g.%dgb".formatted(100 + kind))
          .put("memory", 1)
          .put("compute", 1)
          .put("size", 1)
          .put("most", 16)
          .set("starts", new ObjectMapper().valueToTree(all));
    }
    return profiles.toString();
  }

  /** Who is in one GPU is compared with everybody else in it. */
  @Test
  void partsOfOneGpuThatNoGpuCanGiveAreNotBelieved() {
    ArrayNode claims = JSON.arrayNode();
    for (int claim = 0; claim < 3; claim++) {
      ObjectNode prepared = claims.addObject().put("uid", "u" + claim);
      prepared.put("namespace", "n").put("name", "c");
      ArrayNode parts = prepared.putArray("parts");
      for (int part = 0; part < 43; part++) {
        parts.addObject().put("uuid", "GPU-0").put("inside", "u0");
      }
    }

    assertThat(problem(read(node("[]", claims.toString(), 1))))
        .isEqualTo("status.preparedClaims: Too many: 129 parts of GPU-0: must be at most 128");
  }

  @Test
  void ofAnImplausibleNodeOnlyTheNamesOfItsClaimsAreKnown() {
    Reading reading =
        read(
            node(
                "[]",
                "[{\"uid\":\"u\",\"namespace\":\"n\",\"name\":\"c\",\"devices\":[\"gpu-0\"]},null,{}]",
                Long.MAX_VALUE));

    assertThat(reading.inventory().isPlausible()).isFalse();
    assertThat(reading.inventory().gpus()).isEmpty();
    assertThat(reading.inventory().prepared())
        .containsExactly(GrantFixture.prepared(new ClaimUid("u"), new ClaimRef("n", "c")));
  }

  /** A sum of them would be less than each. */
  @Test
  void aShareThatNoGpuHasRoomForIsHeldWhole() {
    Reading reading =
        read(
            node(
                "[]",
                "[{\"uid\":\"u\",\"namespace\":\"n\",\"name\":\"c\",\"parts\":[{\"uuid\":\"GPU-0\",\"memory\":\"9999999Ti\"}],\"devices\":[\"gpu-0\"]}]",
                1));

    assertThat(reading.problems())
        .containsExactly(
            "status.preparedClaims[0].parts[0].memory: Invalid value: 9999999Ti: must be at most"
                + " 1048576Gi");
    assertThat(reading.inventory().prepared().get(0).deviceUuids()).containsExactly("GPU-0");
    assertThat(MemorySize.parse("1048576Gi").orElseThrow().exactBytes())
        .isEqualTo(MemorySize.MAX_BYTES);
  }

  @ParameterizedTest
  @CsvSource({"+999999999-12-31T23:59:59Z", "-999999999-01-01T00:00:00Z", "''"})
  void aTimeThatLeavesNoRoomToCalculateIsNone(String time) {
    String status = "{\"heartbeatTime\":\"%s\"}".formatted(time);

    assertThat(gson.fromJson(status, NodeInventoryStatus.class).heartbeat()).isEmpty();
  }
}
