package io.gpudra.controller.translate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.util.List;

/** Objects to translate, and their translation. */
final class MigrationSamples {
  static final String DRIVER = "gpu.resource.example.com";
  static final String FILE = "given.yaml";

  private MigrationSamples() {}

  static TranslationResult migrated(String driver, String to, String text) {
    Options options =
        new Options(DRIVER, driver, TargetVersion.of(to).orElseThrow(), "gpu.example.com", "4Gi");
    return ManifestMigration.translator(options).translate(List.of(new ManifestText(FILE, text)));
  }

  /** The text of a migrated text. */
  static String migrated(String text) {
    TranslationResult result = migrated(DRIVER, "1.36", text);
    return result.files().getOrDefault(FILE, String.join("\n", result.problems()));
  }

  /** A document. */
  static String object(String apiVersion, String kind, String name, JsonNode rest) {
    ObjectNode object =
        JsonNodeFactory.instance.objectNode().put("apiVersion", apiVersion).put("kind", kind);
    object.putObject("metadata").put("name", name);
    rest.properties().forEach(field -> object.set(field.getKey(), field.getValue()));
    return "---\n" + YamlPrinter.block(object, 0) + "\n";
  }

  /** A class c, with parameters if there are any. */
  static String resourceClass(JsonNode spec) {
    ObjectNode rest = JsonNodeFactory.instance.objectNode().put("driverName", DRIVER);
    if (!spec.isObject()) {
      return object("resource.k8s.io/v1alpha2", "ResourceClass", "c", rest);
    }
    rest.set("parametersRef", reference("GpuClassParameters"));
    return object(
            DRIVER + "/v1alpha1",
            "GpuClassParameters",
            "p",
            JsonNodeFactory.instance.objectNode().set("spec", spec))
        + object("resource.k8s.io/v1alpha2", "ResourceClass", "c", rest);
  }

  /** A claim or template in namespace n with its parameters. */
  static String claim(String kind, ObjectNode parameters, JsonNode further) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode().put("resourceClassName", "c");
    spec.set("parametersRef", reference("GpuClaimParameters"));
    further.properties().forEach(field -> spec.set(field.getKey(), field.getValue()));
    spec.properties().removeIf(field -> field.getValue().isNull());
    ObjectNode template = JsonNodeFactory.instance.objectNode().set("spec", spec);
    JsonNode ofClaim = kind.equals("ResourceClaim") ? spec : template;
    return object(DRIVER + "/v1alpha1", "GpuClaimParameters", "p", inNamespace("p", parameters))
        + object("resource.k8s.io/v1alpha2", kind, "x", inNamespace("x", ofClaim));
  }

  private static ObjectNode inNamespace(String name, JsonNode spec) {
    ObjectNode rest = JsonNodeFactory.instance.objectNode();
    rest.putObject("metadata").put("name", name).put("namespace", "n");
    return rest.set("spec", spec);
  }

  private static ObjectNode reference(String kind) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("apiGroup", DRIVER)
        .put("kind", kind)
        .put("name", "p");
  }
}
