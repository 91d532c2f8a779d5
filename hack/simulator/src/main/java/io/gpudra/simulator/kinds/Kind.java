package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Locale;

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
    public static Names of(JsonNode names) {
      String kind = Json.text(names, "kind");
      String list = Json.text(names, "listKind");
      String singular = Json.text(names, "singular");
      return new Names(
          kind,
          list.isEmpty() ? kind + "List" : list,
          singular.isEmpty() ? kind.toLowerCase(Locale.ROOT) : singular,
          Json.texts(names, "shortNames"),
          Json.texts(names, "categories"));
    }
  }

  /** The kind's name, such as {@code ResourceClaim}. */
  public String kind() {
    return names.kind();
  }

  /** Whether a CustomResourceDefinition made it; their groups are always qualified by a domain. */
  public boolean isCustom() {
    String group = resource.group();
    return group.contains(".") && !group.endsWith(".k8s.io");
  }
}
