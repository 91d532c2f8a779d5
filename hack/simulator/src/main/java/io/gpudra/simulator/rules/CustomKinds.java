package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Traits;
import io.gpudra.simulator.schema.BuiltInSchema;
import java.util.Optional;

/** Turns CustomResourceDefinitions into kinds. The storage version is the one that is served. */
public final class CustomKinds {
  private CustomKinds() {}

  /** The kind a definition describes; empty when none of its versions is stored. */
  public static Optional<Kind> of(ObjectNode definition) {
    for (JsonNode version : at(definition, "spec.versions")) {
      if (version.path("storage").asBoolean()) {
        return Optional.of(kind(definition, version));
      }
    }
    return Optional.empty();
  }

  private static Kind kind(ObjectNode definition, JsonNode version) {
    Resource resource =
        new Resource(
            text(definition, "spec.group"),
            text(version, "name"),
            text(definition, "spec.names.plural"));
    boolean namespaced = text(definition, "spec.scope").equals("Namespaced");
    boolean status = !at(version, "subresources.status").isMissingNode();
    Traits traits = new Traits(namespaced, status, true, false, true, false);
    ObjectNode schema =
        BuiltInSchema.withMetadata((ObjectNode) at(version, "schema.openAPIV3Schema").deepCopy());
    return new Kind(
        resource,
        Kind.Names.of(at(definition, "spec.names")),
        traits,
        new CustomRules(schema),
        schema,
        Columns.custom(version.path("additionalPrinterColumns")));
  }
}
