package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * A served kind.
 *
 * @param schema a structural schema, as far as it is known: shapes of lists for apply and patches,
 *     all of it for custom resources
 */
public record Kind(
    Resource resource,
    Names names,
    Traits traits,
    Rules rules,
    ObjectNode schema,
    List<Column> columns) {

  /** Names of a kind beside its plural. */
  public record Names(
      String kind,
      String listKind,
      String singular,
      List<String> shortNames,
      List<String> categories) {

    /** From the {@code names} of a definition; what is left out is derived from the kind. */
    static Names of(JsonNode names) {
      String kind = Json.text(names, "kind");
      return new Names(
          kind,
          names.path("listKind").asText(kind + "List"),
          names.path("singular").asText(kind.toLowerCase(Locale.ROOT)),
          Json.texts(names, "shortNames"),
          Json.texts(names, "categories"));
    }
  }

  /**
   * How a kind differs from others in ways that every verb must know.
   *
   * @param status whether there is a status subresource
   * @param generation whether {@code metadata.generation} counts changes of the spec
   * @param putCreates whether a PUT to a missing object creates it
   * @param putNeedsRevision whether a PUT must carry a resourceVersion
   * @param deleteAnswersObject whether a DELETE that is done at once answers the object rather than
   *     a Status
   */
  public record Traits(
      boolean namespaced,
      boolean status,
      boolean generation,
      boolean putCreates,
      boolean putNeedsRevision,
      boolean deleteAnswersObject) {}

  /**
   * A column that {@code kubectl get} shows.
   *
   * @param priority 0 is always shown, higher only with {@code -o wide}
   * @param cell the value of an object's row; a missing node for an empty cell
   */
  public record Column(
      String name, String type, int priority, Function<ObjectNode, JsonNode> cell) {}

  /** The kind's name, such as {@code ResourceClaim}. */
  public String kind() {
    return names.kind();
  }

  /** What every object of the kind says of it. */
  public ObjectNode identity() {
    return Json.object("kind", kind(), "apiVersion", resource.apiVersion());
  }

  /** What refusals name: the two kinds of events are checked as one. */
  public Resource checkedAs() {
    return resource.equals(Resource.NEW_EVENTS) ? Resource.EVENTS : resource;
  }

  /** Whether a CustomResourceDefinition made it; their groups are always qualified by a domain. */
  public boolean isCustom() {
    return resource.group().contains(".") && !resource.group().endsWith(".k8s.io");
  }

  /** The same kind with other traits and rules. */
  public Kind with(Traits otherTraits, Rules otherRules) {
    return new Kind(resource, names, otherTraits, otherRules, schema, columns);
  }
}
