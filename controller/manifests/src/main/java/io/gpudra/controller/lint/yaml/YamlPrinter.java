package io.gpudra.controller.lint.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.representer.Representer;

/** Prints values as YAML, so that every reader finds the same types in it. */
public final class YamlPrinter {
  private static final JsonMapper JSON = new JsonMapper();

  /** Texts that some reader of YAML takes for a number. */
  private static final Pattern NUMBER =
      Pattern.compile("[-+.]?[0-9][-+._0-9a-fA-FxoEe]*|[-+]?\\.(inf|nan)");

  private YamlPrinter() {}

  /** In lines; all but the first are indented. Without a line end. */
  public static String block(JsonNode value, int indent) {
    return dump(value, FlowStyle.BLOCK)
        .lines()
        .collect(Collectors.joining("\n" + " ".repeat(indent)))
        .replaceAll("(?m)^ +$", "");
  }

  /** On one line, with collections in brackets. */
  public static String flow(JsonNode value) {
    return dump(value, FlowStyle.FLOW).strip();
  }

  private static String dump(JsonNode value, FlowStyle style) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(style);
    options.setSplitLines(false);
    options.setWidth(Integer.MAX_VALUE);
    return new Yaml(new TextRepresenter(options), options)
        .dump(JSON.convertValue(value, Object.class));
  }

  /** Quotes texts that look like numbers, and prints several lines as such. */
  private static final class TextRepresenter extends Representer {

    TextRepresenter(DumperOptions options) {
      super(options);
      representers.put(String.class, text -> representScalar(Tag.STR, (String) text, style(text)));
    }

    private static ScalarStyle style(Object value) {
      String text = (String) value;
      if (NUMBER.matcher(text).matches() || !StreamReader.isPrintable(text)) {
        return ScalarStyle.DOUBLE_QUOTED;
      }
      return text.contains("\n") ? ScalarStyle.LITERAL : ScalarStyle.PLAIN;
    }
  }
}
