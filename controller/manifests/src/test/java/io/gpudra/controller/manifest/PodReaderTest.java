package io.gpudra.controller.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1PodSchedulingGate;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodReaderTest {

  @ParameterizedTest
  @CsvSource({
    "gpu.resource.example.com/granted, false",
    "gpu.resource.example.com/granted other.example.com/granted, false",
    "example.com/mine, true",
    "gpu.resource.example.com/granted example.com/mine, true",
  })
  void gatesThatDriversRemoveAreNoObstacle(String gates, boolean told) {
    V1PodSpec spec = new V1PodSpec();
    Arrays.stream(gates.split(" ", -1))
        .forEach(gate -> spec.addSchedulingGatesItem(new V1PodSchedulingGate().name(gate)));

    assertThat(PodReader.placing(spec).notConsidered().contains("schedulingGates")).isEqualTo(told);
  }
}
