package io.gpudra.scenarios.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ExposedTest {

  @Test
  void aPageIsReadByNameWithTypeAndLabels() {
    assertThat(
            Exposed.of(
                """
                # TYPE calls_total counter
                calls_total{code="200",method="GET"} 1.0
                # HELP wait_seconds of people
                # TYPE wait_seconds histogram
                wait_seconds_bucket{mode="a \\"le=\\" b",le="1.0"} 0
                wait_seconds_sum{mode="a"} 0.0
                # TYPE up gauge
                up 1.0
                # TYPE jvm_memory_used gauge
                jvm_memory_used 17.0
                # TYPE jvm_threads_count gauge
                jvm_threads_count 3.0
                """))
        .containsExactly(
            Map.entry("calls_total", exposed("counter", "code", "method")),
            Map.entry("jvm_*", exposed("gauge")),
            Map.entry("up", exposed("gauge")),
            Map.entry("wait_seconds", exposed("histogram", "mode")));
  }

  private static Exposed exposed(String type, String... labels) {
    return new Exposed(type, new TreeSet<>(List.of(labels)));
  }
}
