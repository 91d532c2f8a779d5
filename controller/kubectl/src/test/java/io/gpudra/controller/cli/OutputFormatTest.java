package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OutputFormatTest {

  @Test
  void textOfTheClusterMovesNoCursorAsJson() {
    OutputFormat output = new OutputFormat();
    new CommandLine(output).setCaseInsensitiveEnumValuesAllowed(true).parseArgs("-o", "json");

    assertThat(output.structured(new TextNode("a\u009b2J"))).isEqualTo("\"a\\u009b2J\"\n");
  }
}
