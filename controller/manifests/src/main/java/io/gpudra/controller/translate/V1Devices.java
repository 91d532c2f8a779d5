package io.gpudra.controller.translate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.util.List;
import java.util.function.Function;

/**
 * The devices of a claim of {@code resource.k8s.io/v1}. Earlier versions differ in where a request
 * has its fields, and are read as well.
 */
public record V1Devices(
    ImmutableList<V1Request> requests,
    ImmutableList<V1Constraint> constraints,
    ImmutableList<V1Config> config) {

  /** The API version of migrated claims and classes. */
  public static final String API = "resource.k8s.io/v1";

  /** No devices. */
  public static final V1Devices NONE =
      new V1Devices(ImmutableList.of(), ImmutableList.of(), ImmutableList.of());

  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String ALL = "All";

  /** Fields that may say what is also so without them. */
  private static final ImmutableSet<String> DEFAULTS =
      ImmutableSet.of("count", "allocationMode", "adminAccess");

  /** The fields of a taint that all versions have. */
  private static final ImmutableSet<String> TAINT = ImmutableSet.of("key", "value", "effect");

  /** Copies the fields of a taint that all versions have. */
  public static void copyTaint(JsonNode from, ObjectNode to) {
    TAINT.stream().filter(from::has).forEach(field -> to.set(field, from.get(field)));
  }

  /**
   * A request.
   *
   * @param choices one, unless the request is prioritized
   * @param prioritized whether the first choice that fits is taken
   */
  public record V1Request(String name, ImmutableList<V1Exact> choices, boolean prioritized) {

    /** A request with one choice. */
    public static V1Request exactly(String name, V1Exact choice) {
      return new V1Request(name, ImmutableList.of(choice), /* prioritized= */ false);
    }

    /** As the API has it. */
    public ObjectNode json() {
      ObjectNode json = NODES.objectNode().put("name", name);
      return prioritized
          ? json.set("firstAvailable", array(choices, V1Exact::json))
          : json.set("exactly", choices.get(0).json());
    }

    static V1Request of(JsonNode json) {
      JsonNode exactly = json.path("exactly");
      boolean prioritized = json.has("firstAvailable");
      ImmutableList<V1Exact> choices =
          prioritized
              ? list(json.path("firstAvailable"), V1Exact::of)
              : ImmutableList.of(V1Exact.of(exactly.isObject() ? exactly : json));
      return new V1Request(json.path("name").asText(), choices, prioritized);
    }
  }

  /**
   * Devices of one kind.
   *
   * @param name of a choice; that of the request, or empty, if there is only one
   * @param all every matching device of a node
   * @param capacity what of a shared device is asked for, by name
   */
  public record V1Exact(
      String name,
      String deviceClassName,
      ImmutableList<String> selectors,
      boolean all,
      long count,
      boolean adminAccess,
      ImmutableList<TolerationSpec> tolerations,
      ImmutableMap<String, String> capacity) {

    /** As the API has it. */
    public ObjectNode json() {
      ObjectNode json = NODES.objectNode();
      if (!name.isEmpty()) {
        json.put("name", name);
      }
      json.put("deviceClassName", deviceClassName);
      putList(json, "selectors", array(selectors, V1Devices::selector));
      if (all) {
        json.put("allocationMode", ALL);
      } else if (count != 1) {
        json.put("count", count);
      }
      if (adminAccess) {
        json.put("adminAccess", true);
      }
      putList(json, "tolerations", array(tolerations, JSON::valueToTree));
      if (!capacity.isEmpty()) {
        json.putObject("capacity").set("requests", JSON.valueToTree(capacity));
      }
      return json;
    }

    static V1Exact of(JsonNode json) {
      return new V1Exact(
          json.path("name").asText(),
          json.path("deviceClassName").asText(),
          expressions(json.path("selectors")),
          json.path("allocationMode").asText().equals(ALL),
          json.path("count").asLong(1),
          json.path("adminAccess").asBoolean(),
          list(json.path("tolerations"), V1Exact::toleration),
          strings(json.path("capacity").path("requests")));
    }

    private static TolerationSpec toleration(JsonNode json) {
      return JSON.convertValue(json, TolerationSpec.class);
    }
  }

  /**
   * A condition on several devices together.
   *
   * @param requests all when empty
   * @param distinct whether the values differ instead of being equal
   */
  public record V1Constraint(ImmutableList<String> requests, boolean distinct, String attribute) {

    /** As the API has it. */
    public ObjectNode json() {
      ObjectNode json = NODES.objectNode();
      putList(json, "requests", array(requests, NODES::textNode));
      return json.put(distinct ? "distinctAttribute" : "matchAttribute", attribute);
    }

    static V1Constraint of(JsonNode json) {
      boolean distinct = json.has("distinctAttribute");
      return new V1Constraint(
          list(json.path("requests"), JsonNode::asText),
          distinct,
          json.path(distinct ? "distinctAttribute" : "matchAttribute").asText());
    }
  }

  /**
   * Settings that a driver reads.
   *
   * @param requests all when empty
   */
  public record V1Config(ImmutableList<String> requests, String driver, JsonNode parameters) {

    /** As the API has it. */
    public ObjectNode json() {
      ObjectNode json = NODES.objectNode();
      putList(json, "requests", array(requests, NODES::textNode));
      json.putObject("opaque").put("driver", driver).set("parameters", parameters);
      return json;
    }

    /** Reads a config. */
    public static V1Config of(JsonNode json) {
      JsonNode opaque = json.path("opaque");
      return new V1Config(
          list(json.path("requests"), JsonNode::asText),
          opaque.path("driver").asText(),
          opaque.path("parameters"));
    }
  }

  /** As the API has it. */
  public ObjectNode json() {
    ObjectNode json = NODES.objectNode();
    json.set("requests", array(requests, V1Request::json));
    putList(json, "constraints", array(constraints, V1Constraint::json));
    putList(json, "config", array(config, V1Config::json));
    return json;
  }

  /** Reads the devices of a claim. */
  public static V1Devices of(JsonNode devices) {
    return new V1Devices(
        list(devices.path("requests"), V1Request::of),
        list(devices.path("constraints"), V1Constraint::of),
        list(devices.path("config"), V1Config::of));
  }

  /** Whether there are requests, each of something. */
  public boolean isComplete() {
    return !requests.isEmpty()
        && requests.stream().noneMatch(request -> request.choices().isEmpty());
  }

  /** The paths of the fields of a claim that are not read; earlier versions have no others. */
  public static ImmutableList<String> unread(JsonNode devices) {
    boolean earlier =
        Streams.stream(devices.path("requests"))
            .anyMatch(request -> !request.has("exactly") && !request.has("firstAvailable"));
    return earlier
        ? ImmutableList.of()
        : OpaqueConfigs.missing("", devices, of(devices).json())
            .filter(path -> !DEFAULTS.contains(path.substring(path.lastIndexOf('.') + 1)))
            .collect(toImmutableList());
  }

  /** The entry of {@code selectors} with this condition. */
  public static ObjectNode selector(String expression) {
    ObjectNode json = NODES.objectNode();
    json.putObject("cel").put("expression", expression);
    return json;
  }

  /** The conditions of {@code selectors}. */
  public static ImmutableList<String> expressions(JsonNode selectors) {
    return list(selectors, selector -> selector.path("cel").path("expression").asText());
  }

  /** The values as an array. */
  public static <T> ArrayNode array(List<T> values, Function<T, ? extends JsonNode> json) {
    ArrayNode array = NODES.arrayNode();
    values.forEach(value -> array.add(json.apply(value)));
    return array;
  }

  private static <T> ImmutableList<T> list(JsonNode array, Function<JsonNode, T> value) {
    return Streams.stream(array).map(value).collect(toImmutableList());
  }

  private static void putList(ObjectNode json, String name, ArrayNode values) {
    if (!values.isEmpty()) {
      json.set(name, values);
    }
  }

  private static ImmutableMap<String, String> strings(JsonNode object) {
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    object.properties().forEach(entry -> all.put(entry.getKey(), entry.getValue().asText()));
    return all.buildKeepingLast();
  }
}
