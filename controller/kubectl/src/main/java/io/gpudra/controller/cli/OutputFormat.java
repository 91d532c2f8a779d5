package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.crds.text.JsonText;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine.Option;

/** Output format of a command. */
final class OutputFormat {
  private static final JsonMapper JSON = new JsonMapper();

  /** Formats, named as in kubectl. */
  enum Format {
    TABLE,
    WIDE,
    JSON,
    YAML,
    NAME
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, wide, json, yaml or name (default: ${DEFAULT-VALUE})")
  private Format format = Format.TABLE;

  Format format() {
    return format;
  }

  boolean wide() {
    return format == Format.WIDE;
  }

  /** Whether the format is JSON or YAML. */
  boolean structured() {
    return format == Format.JSON || format == Format.YAML;
  }

  /** The content as JSON or YAML. */
  String structured(JsonNode node) {
    if (format == Format.JSON) {
      return JsonText.plain(node.toPrettyString()) + "\n";
    }
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    return new Yaml(options).dump(JSON.convertValue(node, Object.class));
  }
}
