package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What has no effect yet is refused by name, wherever it is written. */
class NotYetTest {

  private final ReadParameters read = new ReadParameters(NotYet.NOW);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {"limits.claimDuration | {'limits':{'claimDuration':'24h'}}"})
  void aFieldOfAClass(String field, String spec) {
    assertThat(read.problems(spec, "{}"))
        .containsExactly(
            "GpuClassParameters \"k\": spec.%s: not supported by this version".formatted(field));
  }

  @Test
  void whatHasItsEffectIsNotRefused() {
    read.label("any", "thing");
    assertThat(
            read.problems(
                "{'mode':'exclusive','shareable':false,'namespaceSelector':{},'limits':{'devicesPerClaim':4}}",
                "{'count':2,'memoryPerGpu':'16Gi','capabilities':['ecc'],'cel':'true','topology':'numa',"
                    + "'mode':'exclusive','placement':'pack','tolerations':[{'key':'a'}]}"))
        .isEmpty();
    assertThat(read.problems("{}", "{}")).isEmpty();
  }
}
