package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

class PortOptionsTest {

  private static PortOptions parse(String... args) {
    PortOptions options = new PortOptions();
    new CommandLine(CommandSpec.forAnnotatedObject(options)).parseArgs(args);
    return options;
  }

  @Test
  void aFreePortIsTakenWhenWanted() throws IOException {
    PortOptions options = parse("--probe-port=0", "--metrics-port=0");

    try (HttpPort probes = options.openProbes();
        HttpPort metrics = options.openMetrics()) {
      assertThat(probes.port()).isPositive().isNotEqualTo(metrics.port());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"65536", "-1", "http"})
  void whatIsNoPortIsRefused(String wrong) {
    assertThatThrownBy(() -> parse("--probe-port=" + wrong))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("--probe-port")
        .hasMessageContaining("'" + wrong + "' is not between 0 and 65535");
  }
}
