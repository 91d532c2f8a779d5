package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.table;

import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.Arrays;
import java.util.List;

/** The attributes that conditions read. */
final class AttributesPage {

  private AttributesPage() {}

  static String of(String intro) {
    return Markdown.page(
        "Attributes of devices",
        intro,
        table(
            List.of("attribute", "type", "equal for", "steps"),
            Arrays.stream(DeviceAttribute.values()).map(AttributesPage::row).toList()));
  }

  private static List<String> row(DeviceAttribute attribute) {
    return List.of(
        code(attribute.shortName()),
        type(attribute),
        scope(attribute),
        attribute.hasManyValues() ? "500" : "8,000");
  }

  private static String type(DeviceAttribute attribute) {
    return switch (attribute.type()) {
      case TEXT -> "string";
      case INT -> "int";
      case BOOL -> "bool";
      case VERSION -> "version";
      case TEXTS -> "list of string";
    };
  }

  private static String scope(DeviceAttribute attribute) {
    return switch (attribute.scope()) {
      case KIND -> "GPUs of one model and mode";
      case PLACE -> "devices at the same place of equal nodes";
      case DEVICE -> "one device or node";
    };
  }
}
