package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.gpudra.simulator.api.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole conversations as a real 1.30.14 had them, byte for byte but for names of what changes from
 * run to run. With the system property {@code conformance.record} the answers are written down
 * instead of judged.
 */
class ConversationTest extends ConformanceCase {
  private static final Path RECORDED =
      Path.of("src/test/resources/io/gpudra/simulator/conformance/conversations");
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER, YAMLGenerator.Feature.SPLIT_LINES)
          .enable(
              YAMLGenerator.Feature.MINIMIZE_QUOTES,
              YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS,
              YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
          .build();

  static Stream<String> conversations() throws IOException {
    try (Stream<Path> files = Files.list(RECORDED)) {
      return files
          .map(file -> file.getFileName().toString().replace(".yaml", ""))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("conversations")
  void theServerAnswersAsRecorded(String name) throws IOException {
    Path file = RECORDED.resolve(name + ".yaml");
    JsonNode recorded = YAML.readTree(file.toFile());
    assumeThat(!recorded.toString().contains("\"kubectl ") || Kubectl.isThere())
        .as("kubectl on the path")
        .isTrue();
    String heard = YAML.writeValueAsString(replay(recorded));
    if (Boolean.getBoolean("conformance.record")) {
      Files.writeString(file, heard);
      return;
    }
    Path folder = Files.createDirectories(Path.of("target/conversations"));
    assertThat(Files.writeString(folder.resolve(name + ".yaml"), heard))
        .hasContent(YAML.writeValueAsString(recorded));
  }

  private ArrayNode replay(JsonNode recorded) {
    Symbols symbols = new Symbols();
    symbols.define("$ns", ns);
    symbols.define("$core", "/api/v1/namespaces/" + ns);
    symbols.define("$claims", claims);
    symbols.define("$contexts", contexts);
    ArrayNode replayed = Json.MAPPER.createArrayNode();
    recorded.forEach(exchange -> replayed.add(new Exchange((ObjectNode) exchange).replay(symbols)));
    return replayed;
  }
}
